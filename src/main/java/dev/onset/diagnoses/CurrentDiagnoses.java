package dev.onset.diagnoses;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Diagnoses whose unresolved ones are at hand: every open page asks for them after each step, and reading hundreds of
 * them from the store each time would cost more than judging. They are also what is true while the store cannot be
 * written.
 */
public final class CurrentDiagnoses implements Diagnoses {
    private final Diagnoses store;
    private final Map<String, Diagnosis> current = new LinkedHashMap<>();

    public CurrentDiagnoses(Diagnoses store) {
        this.store = store;
        remember(store.unresolved());
    }

    @Override
    public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
        remember(touched);
        store.keep(touched, changes);
    }

    @Override
    public List<Diagnosis> list(int limit) {
        return store.list(limit);
    }

    @Override
    public List<Diagnosis> resolved(int limit) {
        return store.resolved(limit);
    }

    @Override
    public Optional<Diagnosis> find(String id) {
        Diagnosis found;
        synchronized (current) {
            found = current.get(id);
        }
        return found == null ? store.find(id) : Optional.of(found);
    }

    @Override
    public List<Diagnosis> unresolved() {
        List<Diagnosis> unresolved;
        synchronized (current) {
            unresolved = new ArrayList<>(current.values());
        }
        unresolved.sort(Comparator.comparingLong(Diagnosis::firstSeenMillis).thenComparing(Diagnosis::id));
        return unresolved;
    }

    private void remember(Collection<Diagnosis> touched) {
        synchronized (current) {
            for (Diagnosis diagnosis : touched) {
                if (diagnosis.state() == State.RESOLVED) {
                    current.remove(diagnosis.id());
                } else {
                    current.put(diagnosis.id(), diagnosis);
                }
            }
        }
    }
}
