package dev.onset.sources.exposition;

import java.util.ArrayList;
import java.util.List;

/**
 * What stands between the braces of a line. Most labels of a line are those of the line before, byte for byte: they are
 * compared, not read again.
 */
final class LabelBlock {
    static final int MAX_LABELS = 128;

    private final byte[] text;
    private final Words words;
    private List<Label> labels = new ArrayList<>();
    private int count;
    private List<Label> before = new ArrayList<>();
    private int countBefore;
    private int candidate;
    private int fresh;
    private boolean escaped;

    private Problem problem = Problem.NO_BRACE;
    private int subjectFrom;
    private int subjectTo;
    private int foundFrom;
    private int foundTo;

    LabelBlock(byte[] text, Words words) {
        this.text = text;
        this.words = words;
    }

    /** Begins a line, which has no labels until they are read. */
    void clear() {
        if (count > 0) {
            List<Label> spare = before;
            before = labels;
            countBefore = count;
            labels = spare;
        }
        count = 0;
        candidate = 0;
        fresh = 0;
    }

    /** Reads from behind the opening brace; answers the place behind the closing one, or -1 when there is a problem. */
    int read(int from, int to) {
        int at = Numbers.skipBlanks(text, from, to);
        while (at < to && text[at] != '}') {
            int behind = takeOver(at, to);
            at = behind < 0 ? readLabel(at, to) : behind;
            if (at < 0) {
                return -1;
            }
            if (at < to && text[at] == ',') {
                at = Numbers.skipBlanks(text, at + 1, to);
            }
        }
        return at < to ? at + 1 : fault(Problem.NO_BRACE, 0, 0, at, to);
    }

    /** The place behind a label that the line before has as well, or -1. */
    private int takeOver(int from, int to) {
        int end = Math.min(candidate + 2, countBefore);
        for (int i = candidate; i < end; i++) {
            Label label = before.get(i);
            int behind = from + label.length();
            if (behind < to && (text[behind] == ',' || text[behind] == '}') && label.isAlsoAt(text, from)) {
                // Labels taken over have different names: one can only repeat a label that was read.
                if (count == MAX_LABELS || (fresh > 0 && repeatsFresh(label))) {
                    return -1;
                }
                before.set(i, place());
                labels.set(count++, label);
                label.takeOver();
                candidate = i + 1;
                return behind;
            }
        }
        return -1;
    }

    /** Reads {@code label="value"} and the blanks behind it; answers the place of the comma or brace, or -1. */
    private int readLabel(int from, int to) {
        int labelTo = Letters.labelEnd(text, from, to);
        if (labelTo == from) {
            return fault(Problem.NO_LABEL_NAME, 0, 0, from, to);
        }
        int equals = Numbers.skipBlanks(text, labelTo, to);
        if (equals == to || text[equals] != '=') {
            return fault(Problem.NO_EQUALS, from, labelTo, equals, to);
        }
        int quote = Numbers.skipBlanks(text, equals + 1, to);
        if (quote == to || text[quote] != '"') {
            return fault(Problem.NO_QUOTE, from, labelTo, quote, to);
        }
        if (count == MAX_LABELS) {
            return fault(Problem.TOO_MANY_LABELS, 0, 0, from, to);
        }
        int close = valueEnd(from, labelTo, quote + 1, to);
        if (close < 0) {
            return -1;
        }
        int behind = Numbers.skipBlanks(text, close + 1, to);
        if (behind < to && text[behind] != ',' && text[behind] != '}') {
            return fault(Problem.STRAY_QUOTE, from, labelTo, close + 1, to);
        }
        if (isRepeated(from, labelTo)) {
            return fault(Problem.REPEATED_LABEL, from, labelTo, quote + 1, close);
        }
        place().set(from, labelTo, quote + 1, close, escaped);
        count++;
        fresh++;
        return behind;
    }

    /** The closing quote of a label's value, or -1. */
    private int valueEnd(int labelFrom, int labelTo, int from, int to) {
        escaped = false;
        int at = Bytes.plainEnd(text, from, to);
        while (at < to && text[at] != '"') {
            int step;
            if (text[at] == '\\') {
                escaped = true;
                // Behind the backslash may stand the first byte of a longer character: that is checked on its own.
                step = at + 1 < to && text[at + 1] > 0 ? 2 : 1;
            } else if (text[at] == 0) {
                return fault(Problem.NUL, labelFrom, labelTo, from, to);
            } else {
                step = Bytes.characterLength(text, at, to);
                if (step == 0) {
                    return fault(Problem.BAD_UTF8, labelFrom, labelTo, from, to);
                }
            }
            at = Bytes.plainEnd(text, at + step, to);
        }
        return at < to ? at : fault(Problem.OPEN_QUOTE, labelFrom, labelTo, from, to);
    }

    private boolean repeatsFresh(Label label) {
        for (int i = 0; i < count; i++) {
            if (!labels.get(i).isTakenOver() && labels.get(i).hasNameOf(text, label)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRepeated(int from, int to) {
        for (int i = 0; i < count; i++) {
            if (labels.get(i).hasName(text, from, to)) {
                return true;
            }
        }
        return false;
    }

    /** The unused label that stands where the next one will. */
    private Label place() {
        if (count == labels.size()) {
            labels.add(new Label());
        }
        return labels.get(count);
    }

    private int fault(Problem what, int subjectStart, int subjectEnd, int foundStart, int foundEnd) {
        problem = what;
        subjectFrom = subjectStart;
        subjectTo = subjectEnd;
        foundFrom = foundStart;
        foundTo = foundEnd;
        return -1;
    }

    int count() {
        return count;
    }

    /** Writes names and values into {@code pairs}; answers a hash that does not depend on their order. */
    long read(String[] pairs) {
        long hash = 0;
        for (int i = 0; i < count; i++) {
            hash += labels.get(i).read(text, words, pairs, 2 * i);
        }
        return hash;
    }

    Problem problem() {
        return problem;
    }

    /** The label concerned; an empty stretch where it is the metric. */
    int subjectFrom() {
        return subjectFrom;
    }

    int subjectTo() {
        return subjectTo;
    }

    int foundFrom() {
        return foundFrom;
    }

    int foundTo() {
        return foundTo;
    }
}
