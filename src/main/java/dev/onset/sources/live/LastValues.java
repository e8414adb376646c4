package dev.onset.sources.live;

import java.util.Arrays;

/** The last few hundred values of something measured, for its quantiles. */
final class LastValues {
    private final double[] values = new double[240];
    private int count;

    synchronized void add(double value) {
        values[count++ % values.length] = value;
    }

    /** NaN when nothing was measured. */
    synchronized double quantile(double q) {
        if (count == 0) {
            return Double.NaN;
        }
        double[] sorted = Arrays.copyOf(values, Math.min(count, values.length));
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(q * sorted.length) - 1];
    }
}
