package dev.onset.sources.exposition;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Searches and hashes over ranges of bytes, eight at a time. */
final class Bytes {
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;

    // Random per process, so that no exporter can choose labels that all fall on one hash.
    private static final long SEED = new SplittableRandom().nextLong();
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    private Bytes() {}

    /** The first newline in {@code [from, to)}, or {@code to}. */
    static int lineEnd(byte[] text, int from, int to) {
        int at = from;
        for (; at <= to - 8; at += 8) {
            long hits = zeros(eight(text, at) ^ NEWLINES);
            if (hits != 0) {
                return at + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (at < to && text[at] != '\n') {
            at++;
        }
        return at;
    }

    /** The first byte in {@code [from, to)} that is more than plain text in a quoted value, or {@code to}. */
    static int plainEnd(byte[] text, int from, int to) {
        int at = from;
        for (; at <= to - 8; at += 8) {
            long word = eight(text, at);
            long hits = zeros(word)
                    | zeros(word ^ QUOTES)
                    | zeros(word ^ BACKSLASHES)
                    | zeros(word ^ NEWLINES)
                    | (word & HIGH);
            if (hits != 0) {
                return at + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (at < to && text[at] > 0 && text[at] != '"' && text[at] != '\\' && text[at] != '\n') {
            at++;
        }
        return at;
    }

    /** The length of the well-formed UTF-8 character of two to four bytes at {@code at}, or 0. */
    static int characterLength(byte[] text, int at, int to) {
        int lead = text[at] & 0xff;
        int length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
        if (length == 0 || at + length > to) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((text[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        int second = text[at + 1] & 0xff;
        boolean overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
        boolean outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
        return overlong || outside ? 0 : length;
    }

    static long hash(byte[] text, int from, int to) {
        long hash = SEED ^ ((to - from) * FACTOR);
        int at = from;
        for (; at <= to - 8; at += 8) {
            hash = mix(hash ^ eight(text, at));
        }
        long rest = 0;
        for (; at < to; at++) {
            rest = (rest << 8) | (text[at] & 0xff);
        }
        return mix(hash ^ rest);
    }

    static long mix(long bits) {
        return (bits * FACTOR) ^ Math.multiplyHigh(bits, FACTOR) ^ (bits >>> 29);
    }

    private static long eight(byte[] text, int at) {
        return (long) EIGHT.get(text, at);
    }

    /** The highest bit of each byte that is zero; bytes above the lowest such one may be set wrongly. */
    private static long zeros(long word) {
        return (word - ONES) & ~word & HIGH;
    }
}
