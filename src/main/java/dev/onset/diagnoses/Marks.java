package dev.onset.diagnoses;

import java.util.List;
import java.util.Map;

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

    /** The silences of this time by diagnosis, of those that are not resolved; the one that ends last comes first. */
    Map<String, Mark> silences(long nowMillis);
}
