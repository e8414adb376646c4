package dev.onset.diagnoses;

import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CurrentDiagnosesTest {
    private final Store store = new Store();

    @Test
    void what_is_open_is_at_hand_without_the_store() {
        store.unresolved.add(diagnosis("d1").build());
        CurrentDiagnoses current = new CurrentDiagnoses(store);
        current.keep(List.of(diagnosis("d2").build(), diagnosis("d3").pending().build()), List.of());
        store.reads = 0;

        assertThat(current.unresolved()).extracting(Diagnosis::id).containsExactlyInAnyOrder("d1", "d2", "d3");
        assertThat(current.find("d2")).isPresent();
        assertThat(store.reads).isZero();
        assertThat(current.find("d9")).isEmpty();
        assertThat(store.reads).isEqualTo(1);
    }

    @Test
    void what_is_resolved_is_left_to_the_store() {
        CurrentDiagnoses current = new CurrentDiagnoses(store);
        current.keep(List.of(diagnosis("d1").build()), List.of());
        current.keep(List.of(diagnosis("d1").resolvedAt(Example.OPENED + 1).build()), List.of());

        assertThat(current.unresolved()).isEmpty();
        assertThat(store.kept).hasSize(2);
    }

    @Test
    void what_is_open_is_known_while_the_disk_is_full() {
        CurrentDiagnoses current = new CurrentDiagnoses(store);
        store.full = true;
        assertThatThrownBy(() -> current.keep(List.of(diagnosis("d1").build()), List.of()))
                .isInstanceOf(Diagnoses.StoreUnavailable.class);

        assertThat(current.unresolved()).extracting(Diagnosis::id).containsExactly("d1");
    }

    private static final class Store implements Diagnoses {
        private final List<Diagnosis> unresolved = new ArrayList<>();
        private final List<Diagnosis> kept = new ArrayList<>();
        private boolean full;
        private int reads;

        @Override
        public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
            if (full) {
                throw new StoreUnavailable("the disk is full", new IllegalStateException());
            }
            kept.addAll(touched);
        }

        @Override
        public List<Diagnosis> list(int limit) {
            reads++;
            return kept;
        }

        @Override
        public List<Diagnosis> resolved(int limit) {
            reads++;
            return List.of();
        }

        @Override
        public Optional<Diagnosis> find(String id) {
            reads++;
            return Optional.empty();
        }

        @Override
        public List<Diagnosis> unresolved() {
            reads++;
            return unresolved;
        }
    }
}
