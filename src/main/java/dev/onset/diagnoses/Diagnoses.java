package dev.onset.diagnoses;

import java.util.List;
import java.util.Optional;

/** The diagnoses that are kept, past and present. Implementations are safe for use by several threads. */
public interface Diagnoses {
    /**
     * Keeps the diagnoses of one tick and queues a message for each change, all in one transaction.
     *
     * @param touched every diagnosis that changed in any way in this tick, pending ones included
     * @param changes what people are told about
     * @throws StoreUnavailable when nothing could be written (disk full); the caller keeps judging and offers the same
     *     state again with the next tick
     */
    void keep(List<Diagnosis> touched, List<DiagnosisChange> changes);

    /** Newest first, pending ones excluded. */
    List<Diagnosis> list(int limit);

    /** Only those that are over, newest first. */
    List<Diagnosis> resolved(int limit);

    Optional<Diagnosis> find(String id);

    /** Everything that is not resolved, pending ones included: read once at start, so that timers survive a restart. */
    List<Diagnosis> unresolved();

    /** The store cannot be written just now. */
    final class StoreUnavailable extends RuntimeException {
        public StoreUnavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
