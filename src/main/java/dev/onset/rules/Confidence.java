package dev.onset.rules;

/** How sure a claim of cause is. */
public enum Confidence {
    /** Seen together, not shown to be the cause. */
    POSSIBLE,
    /** Order and mechanism hold. */
    LIKELY,
    /** Order and mechanism hold, and it happened too often to be chance. */
    CONFIRMED
}
