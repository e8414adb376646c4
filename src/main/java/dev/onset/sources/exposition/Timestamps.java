package dev.onset.sources.exposition;

/** The two units of timestamps: milliseconds in text 0.0.4, seconds in OpenMetrics. */
final class Timestamps {
    private Timestamps() {}

    static long millis(double millis) {
        return Math.max(Math.round(millis), ExposedSample.NO_TIMESTAMP + 1);
    }

    /** What was taken for milliseconds until the body turned out to be OpenMetrics. */
    static long ofSeconds(long takenForMillis) {
        return millis(takenForMillis * 1000.0);
    }
}
