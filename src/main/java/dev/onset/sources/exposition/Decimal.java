package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;

/**
 * Reads a number from bytes, correctly rounded, without allocating: the method of Eisel and Lemire with a 128-bit table of
 * powers of ten. The few numbers it leaves undecided go to {@link Double#parseDouble}.
 */
final class Decimal {
    private static final int LOWEST_POWER = -342;
    private static final int HIGHEST_POWER = 308;
    private static final int MAX_DIGITS = 19;
    private static final long MAX_EXACT = 1L << 53;
    private static final double[] EXACT_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };
    private static final long[] POWERS_HIGH = new long[HIGHEST_POWER - LOWEST_POWER + 1];
    private static final long[] POWERS_LOW = new long[HIGHEST_POWER - LOWEST_POWER + 1];

    static {
        for (int power = LOWEST_POWER; power <= HIGHEST_POWER; power++) {
            BigInteger ten = BigInteger.TEN.pow(Math.abs(power));
            BigInteger mantissa = power < 0
                    ? BigInteger.ONE.shiftLeft(ten.bitLength() + 127).divide(ten)
                    : ten.shiftLeft(Math.max(0, 128 - ten.bitLength()));
            mantissa = mantissa.shiftRight(mantissa.bitLength() - 128);
            POWERS_HIGH[power - LOWEST_POWER] = mantissa.shiftRight(64).longValue();
            POWERS_LOW[power - LOWEST_POWER] = mantissa.longValue();
        }
    }

    /** The last number read. */
    double value;

    /** Whether it was written with digits only, without a point, an exponent, or a name such as NaN. */
    boolean whole;

    /**
     * Reads the longest number that starts at {@code from} into {@link #value}.
     *
     * @return the place behind it, or -1 where no number starts
     */
    int read(byte[] text, int from, int to) {
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (negative || (at < to && text[at] == '+')) {
            at++;
        }
        long digits = 0;
        int kept = 0;
        int dropped = 0;
        boolean inexact = false;
        int start = at;
        for (; at < to && isDigit(text[at]); at++) {
            if (kept < MAX_DIGITS) {
                digits = digits * 10 + (text[at] - '0');
                kept += digits == 0 ? 0 : 1;
            } else {
                dropped++;
                inexact |= text[at] != '0';
            }
        }
        int seen = at - start;
        int power = dropped;
        whole = true;
        if (at < to && text[at] == '.') {
            whole = false;
            int point = ++at;
            for (; at < to && isDigit(text[at]); at++) {
                if (kept < MAX_DIGITS) {
                    digits = digits * 10 + (text[at] - '0');
                    kept += digits == 0 ? 0 : 1;
                    power--;
                } else {
                    inexact |= text[at] != '0';
                }
            }
            seen += at - point;
        }
        if (seen == 0) {
            return readName(text, start, to, negative);
        }
        if (at < to && (text[at] | 0x20) == 'e') {
            int exponentAt = exponentStart(text, at + 1, to);
            if (exponentAt < 0) {
                return -1;
            }
            whole = false;
            boolean down = text[at + 1] == '-';
            int exponent = 0;
            for (at = exponentAt; at < to && isDigit(text[at]); at++) {
                exponent = Math.min(100_000_000, exponent * 10 + (text[at] - '0'));
            }
            power += down ? -exponent : exponent;
        }
        double magnitude = magnitude(digits, power, inexact);
        if (Double.isNaN(magnitude)) {
            magnitude = Math.abs(Double.parseDouble(new String(text, from, at - from, ISO_8859_1)));
        }
        value = negative ? -magnitude : magnitude;
        return at;
    }

    private static int exponentStart(byte[] text, int at, int to) {
        int first = at < to && (text[at] == '-' || text[at] == '+') ? at + 1 : at;
        return first < to && isDigit(text[first]) ? first : -1;
    }

    private int readName(byte[] text, int from, int to, boolean negative) {
        int length = 0;
        whole = false;
        if (matches(text, from, to, "nan")) {
            length = 3;
            value = Double.NaN;
        } else if (matches(text, from, to, "inf")) {
            length = matches(text, from, to, "infinity") ? 8 : 3;
            value = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return length == 0 ? -1 : from + length;
    }

    private static boolean matches(byte[] text, int from, int to, String lowerCase) {
        if (to - from < lowerCase.length()) {
            return false;
        }
        for (int i = 0; i < lowerCase.length(); i++) {
            if ((text[from + i] | 0x20) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(byte letter) {
        return letter >= '0' && letter <= '9';
    }

    /** {@code digits · 10^power}, or NaN where that is not certain to the last bit. */
    private static double magnitude(long digits, int power, boolean inexact) {
        if (digits == 0) {
            return 0;
        }
        if (!inexact && power >= -22 && power <= 22 && digits > 0 && digits <= MAX_EXACT) {
            return power < 0 ? digits / EXACT_POWERS[-power] : digits * EXACT_POWERS[power];
        }
        if (power < LOWEST_POWER || power > HIGHEST_POWER) {
            return Double.NaN;
        }
        double rounded = nearest(digits, power);
        // Digits that did not fit lie between these two: the same result for both is the result.
        return inexact && rounded != nearest(digits + 1, power) ? Double.NaN : rounded;
    }

    private static double nearest(long digits, int power) {
        int shift = Long.numberOfLeadingZeros(digits);
        long mantissa = digits << shift;
        long exponent = ((217706L * power) >> 16) + 64 + 1023 - shift;
        long factor = POWERS_HIGH[power - LOWEST_POWER];
        long high = unsignedHigh(mantissa, factor);
        long low = mantissa * factor;
        if ((high & 0x1ff) == 0x1ff && Long.compareUnsigned(low + mantissa, mantissa) < 0) {
            long finer = POWERS_LOW[power - LOWEST_POWER];
            long merged = low + unsignedHigh(mantissa, finer);
            if (Long.compareUnsigned(merged, low) < 0) {
                high++;
            }
            if ((high & 0x1ff) == 0x1ff
                    && merged == -1
                    && Long.compareUnsigned(mantissa * finer + mantissa, mantissa) < 0) {
                return Double.NaN;
            }
            low = merged;
        }
        int top = (int) (high >>> 63);
        long bits = high >>> (top + 9);
        exponent -= 1 ^ top;
        if (low == 0 && (high & 0x1ff) == 0 && (bits & 3) == 1) {
            return Double.NaN;
        }
        bits = (bits + (bits & 1)) >>> 1;
        if (bits >>> 53 != 0) {
            bits >>>= 1;
            exponent++;
        }
        if (exponent <= 0 || exponent >= 0x7ff) {
            return Double.NaN;
        }
        return Double.longBitsToDouble((exponent << 52) | (bits & 0x000f_ffff_ffff_ffffL));
    }

    private static long unsignedHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }
}
