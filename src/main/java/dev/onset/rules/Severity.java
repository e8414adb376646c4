package dev.onset.rules;

/** How much a finding matters. */
public enum Severity {
    /** Data at risk or service down: page now. */
    S1,
    /** Training blocked, or slower by 20 % and more. */
    S2,
    /** Slower by less, or S1 or S2 within a day. */
    S3,
    /** Advice and hygiene. */
    S4;

    public boolean atLeast(Severity other) {
        return compareTo(other) <= 0;
    }
}
