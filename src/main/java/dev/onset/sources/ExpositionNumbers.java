package dev.onset.sources;

import org.jspecify.annotations.Nullable;

/** Numbers inside label values. */
final class ExpositionNumbers {
    private ExpositionNumbers() {}

    /** A bucket's upper bound, so that {@code 1} and {@code 1.0} are the same bucket; null when it is no number. */
    static @Nullable Double bound(String le) {
        if (le.equals("+Inf")) {
            return Double.POSITIVE_INFINITY;
        }
        try {
            return Double.valueOf(le);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
