package dev.onset.timeline;

import java.util.Arrays;

/**
 * How far the buckets of a histogram moved in each open step: the first bucket that moved, how many from there on, and
 * their counts, as numbers of seven bits a byte.
 */
final class Moves {
    private byte[] bytes = new byte[256];
    private final int[] lengths;
    private int cells;
    private int end;

    Moves(int cells) {
        lengths = new int[cells];
    }

    boolean isEmpty(int until) {
        for (int i = 0; i < until; i++) {
            if (lengths[i] > 0) {
                return false;
            }
        }
        return true;
    }

    int length(int cell) {
        return lengths[cell];
    }

    void copy(int cell, byte[] to, int at) {
        System.arraycopy(bytes, start(cell), to, at, lengths[cell]);
    }

    /** The counts of a cell in {@code buckets}, which is all zero before. */
    void read(int cell, double[] buckets) {
        if (lengths[cell] > 0) {
            read(bytes, start(cell), buckets);
        }
    }

    private int start(int cell) {
        int at = 0;
        for (int i = 0; i < cell; i++) {
            at += lengths[i];
        }
        return at;
    }

    /** Notes the newest cell; an older one is left as it is. Counts are cumulative. */
    void put(int cell, double[] counts, double[] before) {
        if (cell < cells) {
            return;
        }
        cells = cell + 1;
        int first = 0;
        int last = counts.length - 1;
        while (first <= last && moved(first, counts, before) == 0) {
            first++;
        }
        while (last > first && moved(last, counts, before) == 0) {
            last--;
        }
        if (first > last) {
            return;
        }
        int start = end;
        number(first);
        number(last - first + 1L);
        for (int i = first; i <= last; i++) {
            number(moved(i, counts, before));
        }
        lengths[cell] = end - start;
    }

    /** Observations are whole. */
    private static long moved(int bucket, double[] counts, double[] before) {
        double below = bucket == 0 ? 0 : counts[bucket - 1] - before[bucket - 1];
        return Math.round(counts[bucket] - before[bucket] - below);
    }

    /** Forgets the oldest cells. */
    void shift(int gone) {
        int from = start(gone);
        System.arraycopy(bytes, from, bytes, 0, end - from);
        end -= from;
        System.arraycopy(lengths, gone, lengths, 0, lengths.length - gone);
        Arrays.fill(lengths, lengths.length - gone, lengths.length, 0);
        cells = Math.max(0, cells - gone);
    }

    private void number(long number) {
        if (end + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, bytes.length * 3 / 2);
        }
        end = write(number, bytes, end);
    }

    /** Counts as {@link #put} wrote them. */
    static void read(byte[] from, int start, double[] buckets) {
        Numbers numbers = new Numbers(from, start);
        int first = (int) numbers.next();
        long count = numbers.next();
        for (int i = first; i < first + count; i++) {
            double number = numbers.next();
            if (i < buckets.length) {
                buckets[i] = number;
            }
        }
    }

    /** Reads numbers of seven bits a byte. */
    static final class Numbers {
        private final byte[] bytes;
        int at;

        Numbers(byte[] bytes, int at) {
            this.bytes = bytes;
            this.at = at;
        }

        long next() {
            long number = 0;
            int bits = 0;
            byte next;
            do {
                next = bytes[at++];
                number |= (next & 0x7FL) << bits;
                bits += 7;
            } while (next < 0);
            return number;
        }
    }

    /** Writes a number of seven bits a byte; takes at most ten. */
    static int write(long number, byte[] to, int start) {
        int at = start;
        long rest = number;
        while (rest < 0 || rest >= 0x80) {
            to[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[at++] = (byte) rest;
        return at;
    }
}
