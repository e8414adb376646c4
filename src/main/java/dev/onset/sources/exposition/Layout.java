package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the numbers stand in a target's body, and every byte that is no number. A body in which nothing but numbers changed
 * is read by comparing the stretches between them, which the JVM does many bytes at a time.
 */
final class Layout {
    static final int NOT_KEPT = LayoutText.NOT_KEPT;

    /** Larger bodies are read in full every time, so that a target cannot make us remember what it likes. */
    static final int MAX_REMEMBERED_BYTES = 4 << 20;

    // Numbers stay far shorter than this, and lines with them below the limit of a line.
    private static final int MAX_NUMBERS_BYTES = 1024;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final LayoutText text;
    /** What a JuiceFS client puts into every line: {@code instance="gpu-07"}. Empty where there is no such label. */
    private final byte[] own;

    private final boolean openMetrics;

    private Layout(LayoutText text, byte[] own, boolean openMetrics) {
        this.text = text;
        this.own = own;
        this.openMetrics = openMetrics;
    }

    LayoutText text() {
        return text;
    }

    /**
     * Reads the numbers of a body that has this layout. Answers false when it has another one, or a number that is none; what
     * was stored until then means nothing.
     */
    boolean read(byte[] body, int length, Decimal number, Numbers numbers, double[] values, long[] timestamps) {
        byte[] stretches = text.stretches;
        int[] ends = text.ends;
        int[] behind = text.behind;
        int at = 0;
        int stretch = 0;
        for (int i = 0; i < ends.length; i++) {
            int end = ends[i];
            int from = at + end - stretch;
            if (from > length || !Arrays.equals(stretches, stretch, end, body, at, from)) {
                return false;
            }
            stretch = end;
            if (behind[i] == LayoutText.OWN) {
                at = from + own.length;
                if (at > length || !isOwn(body, from)) {
                    return false;
                }
                continue;
            }
            at = number.read(body, from, length);
            if (at < 0) {
                return false;
            }
            double value = number.value;
            long timestamp = ExposedSample.NO_TIMESTAMP;
            if (at < length && body[at] != '\n' && body[at] != '\r') {
                at = lineEnd(body, at, length);
                if (numbers.read(body, from, at) != null) {
                    return false;
                }
                timestamp = timestampMillis(numbers);
            }
            if (at - from > MAX_NUMBERS_BYTES) {
                return false;
            }
            int index = behind[i];
            if (index != NOT_KEPT) {
                values[index] = value;
                timestamps[index] = timestamp;
            }
        }
        return Arrays.equals(stretches, stretch, stretches.length, body, at, length);
    }

    /** Names are too short for a call of {@code Arrays.equals} to pay, twice in each line. */
    private boolean isOwn(byte[] body, int from) {
        int last = own.length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            if ((long) LONGS.get(own, i) != (long) LONGS.get(body, from + i)) {
                return false;
            }
        }
        return (long) LONGS.get(own, last) == (long) LONGS.get(body, from + last);
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
        private static final byte[] LABEL = "instance=\"".getBytes(US_ASCII);
        private static final byte[] NONE = {};
        /** A JuiceFS client names itself in every line; who does not in the first few does not at all. */
        private static final int LINES_WITHOUT_NAME = 4;

        private int[] namesTo = new int[512];
        private int[] numbersFrom = new int[512];
        private int[] numbersTo = new int[512];
        private int[] kept = new int[512];
        private int lines;
        private boolean openMetrics;
        private boolean usable = true;

        /** A good line {@code [from, to)} with its name up to {@code nameTo} and its numbers from {@code valueFrom} on. */
        void add(int from, int nameTo, int valueFrom, int to, int keptAs) {
            if (lines == kept.length) {
                namesTo = Arrays.copyOf(namesTo, 2 * lines);
                numbersFrom = Arrays.copyOf(numbersFrom, 2 * lines);
                numbersTo = Arrays.copyOf(numbersTo, 2 * lines);
                kept = Arrays.copyOf(kept, 2 * lines);
            }
            namesTo[lines] = nameTo;
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

        /** Null for a body that is too odd to be remembered, or where there is no room for it. */
        @Nullable
        Layout finish(byte[] body, int length, Layouts layouts) {
            if (!usable || length > MAX_REMEMBERED_BYTES) {
                return null;
            }
            byte[] own = own(body);
            byte[] stretches = new byte[length];
            int[] ends = new int[own.length == 0 ? lines : 2 * lines];
            int[] behind = new int[ends.length];
            int at = 0;
            int size = 0;
            int n = 0;
            for (int line = 0; line < lines; line++) {
                int name = own.length == 0 ? -1 : find(own, body, namesTo[line], numbersFrom[line]);
                if (name >= 0) {
                    System.arraycopy(body, at, stretches, size, name - at);
                    size += name - at;
                    ends[n] = size;
                    behind[n++] = LayoutText.OWN;
                    at = name + own.length;
                }
                System.arraycopy(body, at, stretches, size, numbersFrom[line] - at);
                size += numbersFrom[line] - at;
                ends[n] = size;
                behind[n++] = kept[line];
                at = numbersTo[line];
            }
            System.arraycopy(body, at, stretches, size, length - at);
            size += length - at;
            LayoutText text = layouts.share(
                    new LayoutText(Arrays.copyOf(stretches, size), Arrays.copyOf(ends, n), Arrays.copyOf(behind, n)));
            return text == null ? null : new Layout(text, own, openMetrics);
        }

        /** The label that names the target, with its value and both quotes. */
        private byte[] own(byte[] body) {
            for (int line = 0; line < Math.min(lines, LINES_WITHOUT_NAME); line++) {
                int from = find(LABEL, body, namesTo[line], numbersFrom[line]);
                if (from >= 0) {
                    int to = from + LABEL.length;
                    while (to < numbersFrom[line] && body[to] != '"') {
                        to += body[to] == '\\' ? 2 : 1;
                    }
                    // The find above ends with the label block, and so does a value that it found.
                    return to < numbersFrom[line] ? Arrays.copyOfRange(body, from, to + 1) : NONE;
                }
            }
            return NONE;
        }

        /** Usually the first label. Anything that looks like it serves as well: every byte of the body is compared. */
        private static int find(byte[] what, byte[] body, int from, int to) {
            for (int at = from; at <= to - what.length; at++) {
                if (body[at] == what[0] && Arrays.equals(what, 0, what.length, body, at, at + what.length)) {
                    return at;
                }
            }
            return -1;
        }
    }
}
