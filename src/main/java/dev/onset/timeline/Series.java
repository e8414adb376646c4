package dev.onset.timeline;

import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A series as a rule sees it: one cell per step of the window, oldest first. Nothing is copied; a cell holds a number or
 * is a gap.
 */
public final class Series {
    private final Scope scope;
    private final Signal signal;
    private final String part;
    private final @Nullable Column column;
    private final long first;
    private final int size;

    Series(Scope scope, Signal signal, String part, @Nullable Column column, long first, int size) {
        this.scope = scope;
        this.signal = signal;
        this.part = part;
        this.column = column;
        this.first = first;
        this.size = size;
    }

    public Scope scope() {
        return scope;
    }

    public Signal signal() {
        return signal;
    }

    public String part() {
        return part;
    }

    public int size() {
        return size;
    }

    /** The value of a step, NaN where there is a gap. */
    public double at(int index) {
        return column == null || index < 0 || index >= size ? Double.NaN : column.value(first + index);
    }

    public boolean present(int index) {
        return !Double.isNaN(at(index));
    }

    /** Why a cell has no number. */
    public Gap gap(int index) {
        return column == null ? Gap.NOT_EXPORTED : column.gap(first + index);
    }

    /** Time of the sample before, epoch milliseconds. */
    public long fromMillis(int index) {
        return column == null ? Long.MIN_VALUE : column.from(first + index);
    }

    /** Time of the sample, epoch milliseconds. */
    public long toMillis(int index) {
        return column == null ? Long.MIN_VALUE : column.to(first + index);
    }

    /** Whether any step of the window has a number. */
    public boolean known() {
        return lastPresent(size - 1) >= 0;
    }

    /** The newest value at or before a step, NaN when there is none. */
    public double latest() {
        int index = lastPresent(size - 1);
        return index < 0 ? Double.NaN : at(index);
    }

    int lastPresent(int from) {
        for (int i = Math.min(from, size - 1); i >= 0; i--) {
            if (present(i)) {
                return i;
            }
        }
        return -1;
    }

    /** Median of the numbers in {@code [from, to)}; NaN when there are none. */
    public double median(int from, int to) {
        double[] values = numbers(from, to);
        return Statistics.median(values);
    }

    public double max(int from, int to) {
        Range range = range(from, to);
        return range.isEmpty() ? Double.NaN : range.largest();
    }

    public double min(int from, int to) {
        Range range = range(from, to);
        return range.isEmpty() ? Double.NaN : range.smallest();
    }

    /** The smallest of all steps in {@code [from, to)}; NaN unless every one is known: what lasts has no holes. */
    public double throughout(int from, int to) {
        for (int i = from; i < to; i++) {
            if (i < 0 || !present(i)) {
                return Double.NaN;
            }
        }
        return min(from, to);
    }

    public double mean(int from, int to) {
        return Arrays.stream(numbers(from, to)).average().orElse(Double.NaN);
    }

    /** Smallest and largest number in {@code [from, to)}. */
    Range range(int from, int to) {
        return column == null
                ? new Range()
                : column.range(first + Math.max(0, from), first + Math.max(0, Math.min(to, size)));
    }

    private double[] numbers(int from, int to) {
        double[] values = new double[Math.max(0, Math.min(to, size) - Math.max(0, from))];
        int n = 0;
        for (int i = Math.max(0, from); i < Math.min(to, size); i++) {
            if (present(i)) {
                values[n++] = at(i);
            }
        }
        return Arrays.copyOf(values, n);
    }

    /** How many observations of a histogram's step were above a bound, at least; NaN where there is a gap. */
    public double countAbove(int index, double bound) {
        double[] moved = column == null ? null : column.increments(first + index);
        double[] bounds = column == null ? null : column.bounds();
        if (moved == null || bounds == null || bounds.length != moved.length) {
            return Double.NaN;
        }
        double above = 0;
        for (int i = 1; i < moved.length; i++) {
            above += bounds[i - 1] >= bound ? moved[i] : 0;
        }
        return above;
    }

    /** Quantile of a histogram's step, interpolated inside its bucket; NaN where there is a gap or no observation. */
    public double quantile(int index, double q) {
        double[] moved = column == null ? null : column.increments(first + index);
        double[] bounds = column == null ? null : column.bounds();
        if (moved == null || bounds == null || bounds.length != moved.length) {
            return Double.NaN;
        }
        return Statistics.quantile(bounds, moved, q);
    }
}
