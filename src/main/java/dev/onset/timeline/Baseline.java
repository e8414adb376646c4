package dev.onset.timeline;

import java.util.Arrays;

/** The latest healthy values of a series, also in order of size: their median costs nothing. */
final class Baseline {
    private final double[] recent;
    private final double[] sorted;
    private int oldest;
    private int size;

    Baseline(int capacity) {
        recent = new double[capacity];
        sorted = new double[capacity];
    }

    int size() {
        return size;
    }

    int capacity() {
        return recent.length;
    }

    /** Takes in a value that is not NaN; beyond the capacity the oldest one leaves. */
    void add(double value) {
        if (size < recent.length) {
            recent[(oldest + size) % recent.length] = value;
            insert(value, size++);
            return;
        }
        double gone = recent[oldest];
        recent[oldest] = value;
        oldest = oldest + 1 == recent.length ? 0 : oldest + 1;
        int at = Arrays.binarySearch(sorted, 0, size, gone);
        System.arraycopy(sorted, at + 1, sorted, at, size - at - 1);
        insert(value, size - 1);
    }

    private void insert(double value, int among) {
        int found = Arrays.binarySearch(sorted, 0, among, value);
        int at = found < 0 ? -found - 1 : found;
        System.arraycopy(sorted, at, sorted, at + 1, among - at);
        sorted[at] = value;
    }

    /** NaN for no values. */
    double median() {
        int middle = size / 2;
        return size == 0 ? Double.NaN : size % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Median absolute deviation from the median, scaled as in {@link Statistics#deviation}. */
    double deviation() {
        if (size == 0) {
            return Double.NaN;
        }
        double median = median();
        // Distances grow to both sides of the median: merged, they are in order.
        int above = size / 2;
        int below = above - 1;
        double before = Double.NaN;
        double distance = Double.NaN;
        for (int i = 0; i <= size / 2; i++) {
            before = distance;
            double up = above < size ? Math.abs(sorted[above] - median) : Double.POSITIVE_INFINITY;
            double down = below >= 0 ? Math.abs(sorted[below] - median) : Double.POSITIVE_INFINITY;
            if (below < 0 || (above < size && up <= down)) {
                distance = up;
                above++;
            } else {
                distance = down;
                below--;
            }
        }
        return Statistics.scaled(size % 2 == 1 ? distance : (before + distance) / 2);
    }
}
