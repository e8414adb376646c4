package dev.onset.sources.exposition;

/** Chooses the metric names that are kept at parse time; everything else is only checked for syntax. */
@FunctionalInterface
public interface Family {
    /** Whether the samples of the metric named {@code text[from, to)} (ASCII or UTF-8 bytes) are kept. */
    boolean wanted(byte[] text, int from, int to);
}
