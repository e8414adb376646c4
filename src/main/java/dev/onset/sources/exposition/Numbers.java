package dev.onset.sources.exposition;

import org.jspecify.annotations.Nullable;

/** The part of a sample line behind name and labels: {@code value [timestamp] [# exemplar]}. */
final class Numbers {
    private final Decimal number = new Decimal();
    private double value;
    private boolean stamped;
    private boolean stampedWhole;
    private double stamp;
    private int foundFrom;
    private int foundTo;

    /**
     * Reads {@code [from, to)}, which holds no newline, begins with no blank and ends in no carriage return.
     *
     * @return what is wrong with it, at {@link #foundFrom}; null when nothing is
     */
    @Nullable
    Problem read(byte[] text, int from, int to) {
        stamped = false;
        if (from == to) {
            return found(Problem.NO_VALUE, from, to);
        }
        int at = number.read(text, from, to);
        if (at < 0 || (at < to && !isBlank(text[at]))) {
            return found(Problem.BAD_VALUE, from, wordEnd(text, from, to));
        }
        value = number.value;
        at = skipBlanks(text, at, to);
        if (at < to && text[at] != '#') {
            int stampFrom = at;
            at = number.read(text, at, to);
            if (at < 0 || (at < to && !isBlank(text[at])) || !Double.isFinite(number.value)) {
                return found(Problem.BAD_TIMESTAMP, stampFrom, wordEnd(text, stampFrom, to));
            }
            stamped = true;
            stampedWhole = number.whole;
            stamp = number.value;
            at = skipBlanks(text, at, to);
        }
        return at == to || startsExemplar(text, at, to) ? null : found(Problem.TEXT_BEHIND, at, to);
    }

    /** Reads a value and the end of its line behind it; answers the place between, or -1 where more stands there. */
    int readValue(byte[] text, int from, int to) {
        int at = number.read(text, from, to);
        if (at < 0 || at == to || !(text[at] == '\n' || (text[at] == '\r' && at + 1 < to && text[at + 1] == '\n'))) {
            return -1;
        }
        value = number.value;
        stamped = false;
        return at;
    }

    private static boolean startsExemplar(byte[] text, int at, int to) {
        int brace = skipBlanks(text, at + 1, to);
        return text[at] == '#' && brace < to && text[brace] == '{';
    }

    private Problem found(Problem problem, int from, int to) {
        foundFrom = from;
        foundTo = to;
        return problem;
    }

    static boolean isBlank(byte letter) {
        return letter == ' ' || letter == '\t';
    }

    static int skipBlanks(byte[] text, int from, int to) {
        int at = from;
        while (at < to && isBlank(text[at])) {
            at++;
        }
        return at;
    }

    private static int wordEnd(byte[] text, int from, int to) {
        int at = from;
        while (at < to && !isBlank(text[at])) {
            at++;
        }
        return at;
    }

    double value() {
        return value;
    }

    /** Whether the timestamp is a whole number, whose unit the format of the body decides. */
    boolean hasUndecidedTimestamp() {
        return stamped && stampedWhole;
    }

    /** A whole number is taken for milliseconds, as text 0.0.4 writes them; a fraction is always OpenMetrics' seconds. */
    long timestampMillis() {
        return stamped ? millis(stampedWhole ? stamp : stamp * 1000) : ExposedSample.NO_TIMESTAMP;
    }

    /** What was taken for milliseconds, in a body that is OpenMetrics. */
    static long secondsToMillis(long takenForMillis) {
        return millis(takenForMillis * 1000.0);
    }

    private static long millis(double millis) {
        return Math.max(Math.round(millis), ExposedSample.NO_TIMESTAMP + 1);
    }

    int foundFrom() {
        return foundFrom;
    }

    int foundTo() {
        return foundTo;
    }
}
