package dev.onset.signals;

/** What the number of a signal counts. */
public enum Unit {
    SECONDS("s"),
    BYTES("B"),
    BYTES_PER_SECOND("B/s"),
    PER_SECOND("/s"),
    /** A share between 0 and 1. */
    RATIO(""),
    COUNT(""),
    /** Seconds spent per second: by Little's law the mean number of operations under way. */
    IN_FLIGHT(""),
    SECONDS_PER_GIGABYTE("s/GB");

    private final String symbol;

    Unit(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
