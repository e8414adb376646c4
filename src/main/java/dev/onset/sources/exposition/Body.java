package dev.onset.sources.exposition;

import dev.onset.signals.Fault;
import java.util.List;

/**
 * The last body of one target: its numbers in a column, and what they are the numbers of. The same object is filled again
 * by every {@link LayoutParser#read}: what it says holds until then.
 */
public final class Body {
    private List<ExposedSample> series = List.of();
    private double[] values = {};
    private long[] timestamps = {};
    private int[] lineNumbers = {};
    private int generation;
    private List<Fault> faults = List.of();
    private int faultyLines;
    private int duplicates;
    private int lines;

    Body() {}

    /** Takes over what the full parser read. */
    void fill(Exposition read) {
        generation++;
        series = List.copyOf(read.samples());
        values = new double[series.size()];
        timestamps = new long[series.size()];
        lineNumbers = new int[series.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = series.get(i).value();
            timestamps[i] = series.get(i).timestampMillis();
            lineNumbers[i] = series.get(i).line();
        }
        faults = List.copyOf(read.faults());
        faultyLines = read.faultyLines();
        duplicates = read.duplicates();
        lines = read.lines();
    }

    /** Names and labels of ten thousand targets are too much to keep: who needs them took them when they were new. */
    void dropSeries() {
        series = List.of();
    }

    double[] values() {
        return values;
    }

    long[] timestamps() {
        return timestamps;
    }

    /** How many samples of wanted families there are. */
    public int size() {
        return values.length;
    }

    /** The samples in order, with names and labels; only after a read that began a generation, empty after others. */
    public List<ExposedSample> series() {
        return series;
    }

    public double value(int index) {
        return values[index];
    }

    /** The exporter's own time in epoch milliseconds, or {@link ExposedSample#NO_TIMESTAMP}. */
    public long timestampMillis(int index) {
        return timestamps[index];
    }

    /** The 1-based line it stands on. */
    public int line(int index) {
        return lineNumbers[index];
    }

    /** Grows with every body that is laid out otherwise than the one before: until then an index means the same series. */
    public int generation() {
        return generation;
    }

    /** As in {@link Exposition#faults()}. */
    public List<Fault> faults() {
        return faults;
    }

    public int faultyLines() {
        return faultyLines;
    }

    public int duplicates() {
        return duplicates;
    }

    public int lines() {
        return lines;
    }
}
