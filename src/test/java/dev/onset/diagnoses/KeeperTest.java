package dev.onset.diagnoses;

import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.RESOLVED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.UPDATED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeeperTest {
    private final Disk disk = new Disk();
    private final Keeper keeper = new Keeper(disk);

    @Test
    void keeps_each_tick_as_it_comes() {
        keep(diagnosis("d1").change(OPENED));
        keep(diagnosis("d2").change(OPENED));

        assertThat(disk.kept).extracting(Diagnosis::id).containsExactly("d1", "d2");
        assertThat(keeper.problem()).isEmpty();
    }

    @Test
    void offers_again_what_a_full_disk_did_not_take_the_newest_state_and_every_change() {
        disk.full = true;
        keep(diagnosis("d1").change(OPENED));
        keep(diagnosis("d1").updatedAt(1).change(UPDATED));
        keep(diagnosis("d2").change(OPENED));
        assertThat(keeper.problem()).contains("the disk is full");

        disk.full = false;
        keep(diagnosis("d1").updatedAt(1).resolvedAt(2).change(RESOLVED));

        assertThat(disk.kept).extracting(Diagnosis::id).containsExactly("d1", "d2");
        assertThat(disk.kept.get(0).state()).isEqualTo(State.RESOLVED);
        assertThat(disk.told)
                .extracting(DiagnosisChange::messageId)
                .containsExactly(
                        "d1/opened/" + Example.OPENED, "d1/updated/1", "d2/opened/" + Example.OPENED, "d1/resolved/2");
        assertThat(keeper.problem()).isEmpty();
    }

    @Test
    void a_tick_without_news_still_offers_what_is_owed() {
        disk.full = true;
        keep(diagnosis("d1").change(OPENED));
        disk.full = false;

        keeper.keep(List.of(), List.of());

        assertThat(disk.kept).hasSize(1);
    }

    @Test
    void does_not_fill_the_memory_after_the_disk() {
        disk.full = true;
        for (int i = 1; i <= 1500; i++) {
            keep(diagnosis("d1").updatedAt(i).change(UPDATED));
        }
        disk.full = false;
        keeper.keep(List.of(), List.of());

        assertThat(disk.told).hasSize(1000);
        assertThat(disk.told.get(999).messageId()).isEqualTo("d1/updated/1500");
    }

    private void keep(DiagnosisChange change) {
        keeper.keep(List.of(change.diagnosis()), List.of(change));
    }

    private static final class Disk implements Diagnoses {
        private final List<Diagnosis> kept = new ArrayList<>();
        private final List<DiagnosisChange> told = new ArrayList<>();
        private boolean full;

        @Override
        public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
            if (full) {
                throw new StoreUnavailable("the disk is full", new IllegalStateException());
            }
            kept.addAll(touched);
            told.addAll(changes);
        }

        @Override
        public List<Diagnosis> list(int limit) {
            return kept;
        }

        @Override
        public List<Diagnosis> resolved(int limit) {
            return List.of();
        }

        @Override
        public Optional<Diagnosis> find(String id) {
            return Optional.empty();
        }

        @Override
        public List<Diagnosis> unresolved() {
            return List.of();
        }
    }
}
