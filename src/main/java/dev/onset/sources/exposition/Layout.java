package dev.onset.sources.exposition;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the numbers stand in a body, and every byte that is no number. A body in which nothing but numbers changed is read by
 * comparing the stretches between them, which the JVM does many bytes at a time.
 */
final class Layout {
    static final int NOT_KEPT = -1;

    /** Larger bodies are read in full every time, so that a target cannot make us remember what it likes. */
    static final int MAX_REMEMBERED_BYTES = 4 << 20;

    // Numbers stay far shorter than this, and lines with them below the limit of a line.
    private static final int MAX_NUMBERS_BYTES = 1024;

    private final byte[] stretches;
    private final int[] stretchEnds;
    private final int[] kept;
    private final boolean openMetrics;

    private Layout(byte[] stretches, int[] stretchEnds, int[] kept, boolean openMetrics) {
        this.stretches = stretches;
        this.stretchEnds = stretchEnds;
        this.kept = kept;
        this.openMetrics = openMetrics;
    }

    /**
     * Reads the numbers of a body that has this layout. Answers false when it has another one, or a number that is none; what
     * was stored until then means nothing.
     */
    boolean read(byte[] body, int length, Decimal number, Numbers numbers, double[] values, long[] timestamps) {
        int at = 0;
        int stretch = 0;
        for (int line = 0; line < kept.length; line++) {
            int stretchEnd = stretchEnds[line];
            int valueFrom = at + stretchEnd - stretch;
            if (valueFrom > length || !Arrays.equals(stretches, stretch, stretchEnd, body, at, valueFrom)) {
                return false;
            }
            stretch = stretchEnd;
            at = number.read(body, valueFrom, length);
            if (at < 0) {
                return false;
            }
            double value = number.value;
            long timestamp = ExposedSample.NO_TIMESTAMP;
            if (at < length && body[at] != '\n' && body[at] != '\r') {
                at = lineEnd(body, at, length);
                if (numbers.read(body, valueFrom, at) != null) {
                    return false;
                }
                timestamp = timestampMillis(numbers);
            }
            if (at - valueFrom > MAX_NUMBERS_BYTES) {
                return false;
            }
            int index = kept[line];
            if (index != NOT_KEPT) {
                values[index] = value;
                timestamps[index] = timestamp;
            }
        }
        return Arrays.equals(stretches, stretch, stretches.length, body, at, length);
    }

    private long timestampMillis(Numbers numbers) {
        long millis = numbers.timestampMillis();
        return openMetrics && numbers.hasUndecidedTimestamp() ? Numbers.secondsToMillis(millis) : millis;
    }

    private static int lineEnd(byte[] body, int from, int length) {
        int end = Bytes.lineEnd(body, from, length);
        while (end > from && body[end - 1] == '\r') {
            end--;
        }
        return end;
    }

    /** A layout while its body is being read for the first time. */
    static final class Draft {
        private int[] numbersFrom = new int[256];
        private int[] numbersTo = new int[256];
        private int[] kept = new int[256];
        private int lines;
        private boolean openMetrics;
        private boolean usable = true;

        /** A good line {@code [from, to)} with its numbers from {@code valueFrom} on. */
        void add(int from, int valueFrom, int to, int keptAs) {
            if (lines == kept.length) {
                numbersFrom = Arrays.copyOf(numbersFrom, 2 * lines);
                numbersTo = Arrays.copyOf(numbersTo, 2 * lines);
                kept = Arrays.copyOf(kept, 2 * lines);
            }
            numbersFrom[lines] = valueFrom;
            numbersTo[lines] = to;
            kept[lines++] = keptAs;
            usable &= to - from <= ExpositionParser.MAX_LINE_BYTES - MAX_NUMBERS_BYTES;
        }

        void openMetrics() {
            openMetrics = true;
        }

        void giveUp() {
            usable = false;
        }

        /** Null for a body that is too odd to be remembered. */
        @Nullable
        Layout finish(byte[] body, int length) {
            if (!usable || length > MAX_REMEMBERED_BYTES) {
                return null;
            }
            byte[] stretches = new byte[length];
            int[] stretchEnds = new int[lines];
            int at = 0;
            int size = 0;
            for (int line = 0; line < lines; line++) {
                System.arraycopy(body, at, stretches, size, numbersFrom[line] - at);
                size += numbersFrom[line] - at;
                stretchEnds[line] = size;
                at = numbersTo[line];
            }
            System.arraycopy(body, at, stretches, size, length - at);
            size += length - at;
            return new Layout(Arrays.copyOf(stretches, size), stretchEnds, Arrays.copyOf(kept, lines), openMetrics);
        }
    }
}
