package dev.onset.signals;

/**
 * A cumulative histogram as exported.
 *
 * @param scope what it is about
 * @param signal the histogram signal
 * @param bounds upper bounds, ascending, the last is +Inf
 * @param counts observations at or below each bound, same length
 */
public record Distribution(Scope scope, Signal signal, double[] bounds, double[] counts) {
    public Distribution {
        if (bounds.length != counts.length) {
            throw new IllegalArgumentException(bounds.length + " bounds but " + counts.length + " counts");
        }
    }
}
