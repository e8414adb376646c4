package dev.onset.sources.exposition;

import dev.onset.signals.Fault;
import java.util.List;

/**
 * The last body of one target, in columns. The same object is filled again by every {@link LayoutParser#read}: what it says
 * holds until then.
 */
public final class Body {
    private String[] names = {};
    private Labels[] labels = {};
    private int[] lineNumbers = {};
    private double[] values = {};
    private long[] timestamps = {};
    private int generation;
    private List<Fault> faults = List.of();
    private int faultyLines;
    private int duplicates;
    private int lines;

    Body() {}

    /** Takes over what the full parser read. */
    void fill(Exposition read) {
        List<ExposedSample> samples = read.samples();
        if (!hasSeriesOf(samples)) {
            generation++;
            names = samples.stream().map(ExposedSample::name).toArray(String[]::new);
            labels = samples.stream().map(ExposedSample::labels).toArray(Labels[]::new);
            lineNumbers = new int[samples.size()];
            values = new double[samples.size()];
            timestamps = new long[samples.size()];
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = samples.get(i).value();
            timestamps[i] = samples.get(i).timestampMillis();
            lineNumbers[i] = samples.get(i).line();
        }
        faults = read.faults();
        faultyLines = read.faultyLines();
        duplicates = read.duplicates();
        lines = read.lines();
    }

    private boolean hasSeriesOf(List<ExposedSample> samples) {
        if (samples.size() != names.length) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            ExposedSample sample = samples.get(i);
            if (!names[i].equals(sample.name()) || !labels[i].equals(sample.labels())) {
                return false;
            }
        }
        return true;
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

    public String name(int index) {
        return names[index];
    }

    public Labels labels(int index) {
        return labels[index];
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

    /** Grows whenever names or labels are others than in the body before: until then an index means the same series. */
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
