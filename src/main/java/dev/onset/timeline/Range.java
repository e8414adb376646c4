package dev.onset.timeline;

/** The smallest and the largest of some numbers; NaN is none. */
final class Range {
    private double smallest = Double.POSITIVE_INFINITY;
    private double largest = Double.NEGATIVE_INFINITY;

    void add(double value) {
        // Comparisons with NaN are false.
        smallest = value < smallest ? value : smallest;
        largest = value > largest ? value : largest;
    }

    boolean isEmpty() {
        return !(smallest <= largest);
    }

    double smallest() {
        return smallest;
    }

    double largest() {
        return largest;
    }
}
