package dev.onset.timeline;

import java.util.Arrays;

/** The latest healthy values of a series; put in order of size only when somebody asks for their median. */
final class Baseline {
    private final double[] recent;
    private final double[] sorted;
    private int newest;
    private int size;
    private boolean inOrder;

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
        recent[newest] = value;
        newest = newest + 1 == recent.length ? 0 : newest + 1;
        size = Math.min(size + 1, recent.length);
        inOrder = false;
    }

    /** Whether more than half of the values times {@code factor} exceed {@code value}: then the median's does. */
    boolean mostlyAbove(double value, double factor) {
        int above = 0;
        for (int i = 0; i < size; i++) {
            above += factor * recent[i] > value ? 1 : 0;
        }
        return above > size / 2;
    }

    private void order() {
        if (!inOrder) {
            System.arraycopy(recent, 0, sorted, 0, size);
            Arrays.sort(sorted, 0, size);
            inOrder = true;
        }
    }

    /** NaN for no values. */
    double median() {
        order();
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
