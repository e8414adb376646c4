package dev.onset.rules;

/** What is known about which of two onsets came first. */
public enum Order {
    BEFORE,
    /** The intervals overlap: the order is not visible at this step. */
    TOGETHER,
    AFTER,
    UNKNOWN
}
