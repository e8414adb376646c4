package dev.onset.timeline;

import dev.onset.signals.Distribution;
import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One series on the axis: a ring of cells, each a number or a gap with its reason, with the true times it covers. */
final class Column {
    private static final Gap[] REASONS = Gap.values();

    final Scope scope;
    final Signal signal;
    final String part;
    /** Who fills it: another target that exports the same series is ignored. */
    String owner = "";

    private final double[] values;
    private final byte[] gaps;
    /** Shared by everything that is known about the scope: its samples are taken at one instant. */
    private final Times times;

    private final @Nullable Moved @Nullable [] increments;
    private double @Nullable [] bounds;
    private double @Nullable [] counts;
    private double raw = Double.NaN;
    private long rawAt = Long.MIN_VALUE;
    private long last = Long.MIN_VALUE;

    /** The buckets of a histogram that moved in a step. */
    private record Moved(int[] buckets, float[] counts) {}

    Column(Scope scope, Signal signal, String part, int capacity, Times times) {
        this.scope = scope;
        this.signal = signal;
        this.part = part;
        values = new double[capacity];
        gaps = new byte[capacity];
        this.times = times;
        increments = signal.kind() == Signal.Kind.HISTOGRAM ? new Moved[capacity] : null;
        Arrays.fill(values, Double.NaN);
    }

    /** The newest step that holds a cell. */
    long last() {
        return last;
    }

    boolean filled(long step) {
        return last == step;
    }

    double value(long step) {
        return covers(step) ? values[slot(step)] : Double.NaN;
    }

    Gap gap(long step) {
        return covers(step) ? REASONS[gaps[slot(step)]] : Gap.NOT_SCRAPED_YET;
    }

    long from(long step) {
        return covers(step) ? times.from(step) : Long.MIN_VALUE;
    }

    long to(long step) {
        return covers(step) ? times.to(step) : Long.MIN_VALUE;
    }

    double @Nullable [] bounds() {
        return bounds;
    }

    /** How many observations each bucket got in a step; null where there is a gap. */
    double @Nullable [] increments(long step) {
        Moved moved = increments != null && covers(step) ? increments[slot(step)] : null;
        if (moved == null || bounds == null) {
            return null;
        }
        double[] all = new double[bounds.length];
        for (int i = 0; i < moved.buckets.length && moved.buckets[i] < all.length; i++) {
            all[moved.buckets[i]] = moved.counts[i];
        }
        return all;
    }

    /** The last raw value of a counter; NaN before the first. */
    double raw() {
        return raw;
    }

    long rawAt() {
        return rawAt;
    }

    void put(long step, double value) {
        values[advance(step)] = value;
    }

    void gap(long step, Gap reason) {
        int slot = advance(step);
        values[slot] = Double.NaN;
        gaps[slot] = (byte) reason.ordinal();
    }

    /** A counter's new raw value becomes a rate between the two nearest true samples, or a gap that says why not. */
    void count(long step, double value, long atMillis, long staleAfterMillis, boolean restarted) {
        double previous = raw;
        long previousAt = rawAt;
        raw = value;
        rawAt = atMillis;
        if (Double.isNaN(previous)) {
            gap(step, Gap.NOT_SCRAPED_YET);
        } else if (restarted || value < previous) {
            gap(step, Gap.RESET);
        } else if (atMillis - previousAt > staleAfterMillis || atMillis <= previousAt) {
            gap(step, Gap.STALE);
        } else {
            put(step, (value - previous) / ((atMillis - previousAt) / 1e3));
        }
    }

    void gauge(long step, double value, long atMillis) {
        put(step, value);
        raw = value;
        rawAt = atMillis;
    }

    /** The cell's value is the number of observations; the buckets that moved are kept beside it. */
    void distribution(long step, Distribution seen, long atMillis, long staleAfterMillis, boolean restarted) {
        double[] before = counts;
        boolean comparable = before != null && bounds != null && Arrays.equals(bounds, seen.bounds());
        long previousAt = rawAt;
        bounds = seen.bounds();
        counts = seen.counts();
        rawAt = atMillis;
        if (before == null) {
            gap(step, Gap.NOT_SCRAPED_YET);
            return;
        }
        if (restarted || !comparable || atMillis - previousAt > staleAfterMillis) {
            gap(step, comparable && !restarted ? Gap.STALE : Gap.RESET);
            return;
        }
        double[] moved = new double[counts.length];
        for (int i = 0; i < moved.length; i++) {
            double below = i == 0 ? 0 : counts[i - 1] - before[i - 1];
            moved[i] = counts[i] - before[i] - below;
            if (moved[i] < 0) {
                gap(step, Gap.RESET);
                return;
            }
        }
        int last = counts.length - 1;
        put(step, counts[last] - before[last]);
        if (increments != null) {
            increments[slot(step)] = sparse(moved);
        }
    }

    private static Moved sparse(double[] all) {
        int[] buckets = IntStream.range(0, all.length).filter(i -> all[i] != 0).toArray();
        float[] counts = new float[buckets.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = (float) all[buckets[i]];
        }
        return new Moved(buckets, counts);
    }

    private int advance(long step) {
        long first = last == Long.MIN_VALUE ? step : Math.max(last + 1, step - values.length + 1);
        for (long s = first; s <= step; s++) {
            values[slot(s)] = Double.NaN;
            gaps[slot(s)] = (byte) Gap.NOT_SCRAPED_YET.ordinal();
            if (increments != null) {
                increments[slot(s)] = null;
            }
        }
        last = Math.max(last, step);
        return slot(step);
    }

    private boolean covers(long step) {
        return step <= last && step > last - values.length && last != Long.MIN_VALUE;
    }

    private int slot(long step) {
        return (int) Math.floorMod(step, (long) values.length);
    }
}
