package dev.onset.diagnoses;

import java.util.List;

/** What people said about diagnoses. Implementations are safe for use by several threads. */
public interface Marks {
    /**
     * Adds a mark; earlier ones stay.
     *
     * @throws Diagnoses.StoreUnavailable when it could not be written
     */
    void add(String diagnosis, Mark mark);

    /** Oldest first. */
    List<Mark> list(String diagnosis);

    /** How many diagnoses that are not resolved are silenced at this time. */
    int silenced(long nowMillis);
}
