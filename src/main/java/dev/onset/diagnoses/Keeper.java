package dev.onset.diagnoses;

import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the diagnoses of each tick, and offers again what the store could not take, so that judging goes on while the
 * disk is full. Used by the thread that ticks; {@link #problem} may be read by any.
 */
public final class Keeper {
    /** Messages held in memory; beyond it the oldest go, because memory must not fill up after the disk. */
    private static final int MOST_CHANGES = 1000;

    private final Diagnoses diagnoses;
    private final Map<String, Diagnosis> unkept = new LinkedHashMap<>();
    private final List<DiagnosisChange> untold = new ArrayList<>();
    private volatile String problem = "";

    public Keeper(Diagnoses diagnoses) {
        this.diagnoses = diagnoses;
    }

    /** Keeps this tick and whatever earlier ticks are still owed; of each diagnosis only its newest state. */
    public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
        touched.forEach(diagnosis -> unkept.put(diagnosis.id(), diagnosis));
        untold.addAll(changes);
        try {
            diagnoses.keep(List.copyOf(unkept.values()), List.copyOf(untold));
            unkept.clear();
            untold.clear();
            problem = "";
        } catch (StoreUnavailable e) {
            problem = String.valueOf(e.getMessage());
            untold.subList(0, Math.max(0, untold.size() - MOST_CHANGES)).clear();
        }
    }

    /** Why the latest tick could not be kept; empty when it was. */
    public Optional<String> problem() {
        return problem.isEmpty() ? Optional.empty() : Optional.of(problem);
    }
}
