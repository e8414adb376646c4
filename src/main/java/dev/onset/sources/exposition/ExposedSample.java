package dev.onset.sources.exposition;

/**
 * One sample line.
 *
 * @param name the metric's name as written, with {@code _bucket}, {@code _sum}, {@code _count} or {@code _total}
 * @param labels its labels
 * @param value may be NaN or infinite
 * @param timestampMillis the exporter's own time in epoch milliseconds, or {@link #NO_TIMESTAMP}
 * @param line 1-based
 */
public record ExposedSample(String name, Labels labels, double value, long timestampMillis, int line) {
    public static final long NO_TIMESTAMP = Long.MIN_VALUE;
}
