package dev.onset.diagnoses;

/** The life of an incident. */
public enum State {
    /** Seen, not yet long enough to tell people. */
    PENDING,
    OPEN,
    /** The condition is gone; it may come back. */
    EASING,
    RESOLVED
}
