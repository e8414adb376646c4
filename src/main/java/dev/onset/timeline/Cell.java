package dev.onset.timeline;

import dev.onset.signals.Gap;

/**
 * A cell as bits: a number, or a gap with its reason in the payload of a NaN.
 *
 * <p>Exact cells are doubles. Narrow cells, for rates and quotients of mounts and hosts, are floats of fourteen bits, good
 * for four digits, without the last byte of a float. A number is narrowed when it is put, so it never changes as it ages.
 */
final class Cell {
    static final int NARROW_BYTES = 3;
    static final int EXACT_BYTES = 8;

    private static final Gap[] REASONS = Gap.values();
    private static final int REASON = 0xFF;
    private static final double LARGEST = 3e38;
    private static final long NARROW_GAP = 0x7FC000;
    private static final long EXACT_GAP = 0x7FF8_0000_0000_0000L;

    private Cell() {}

    static long of(double value, boolean narrow) {
        if (Double.isNaN(value)) {
            return gap(Gap.NOT_SCRAPED_YET, narrow);
        }
        if (!narrow) {
            return Double.doubleToRawLongBits(value);
        }
        // No exporter that means well comes near: what is finite stays finite.
        double near = Double.isInfinite(value) ? value : Math.max(-LARGEST, Math.min(LARGEST, value));
        int bits = Float.floatToRawIntBits((float) near);
        // Away from zero: three errors in fifteen seconds must stay the 0.2 a second that a rule asks for.
        int rounded = (bits + 0x3FF) >>> 10;
        return (long) rounded << 2;
    }

    static long gap(Gap reason, boolean narrow) {
        return (narrow ? NARROW_GAP : EXACT_GAP) | reason.ordinal();
    }

    /** NaN for gaps. */
    static double value(long cell, boolean narrow) {
        return narrow ? Float.intBitsToFloat((int) cell << 8) : Double.longBitsToDouble(cell);
    }

    /** Of a narrow cell. */
    static boolean isGap(int cell) {
        return (cell & NARROW_GAP) == NARROW_GAP;
    }

    /** Why there is no number, for cells whose value is NaN. */
    static Gap reason(long cell) {
        return REASONS[(int) (cell & REASON)];
    }
}
