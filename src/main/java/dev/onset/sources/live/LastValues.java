package dev.onset.sources.live;

import java.util.Arrays;

/** The last values of something measured, for its quantiles. */
final class LastValues {
    private final float[] values;
    private int count;

    LastValues(int size) {
        values = new float[size];
    }

    synchronized void add(double value) {
        values[count++ % values.length] = (float) value;
        if (count == 2 * values.length) {
            count = values.length;
        }
    }

    /** NaN when nothing was measured. */
    synchronized double quantile(double q) {
        if (count == 0) {
            return Double.NaN;
        }
        float[] sorted = Arrays.copyOf(values, Math.min(count, values.length));
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(q * sorted.length) - 1];
    }
}
