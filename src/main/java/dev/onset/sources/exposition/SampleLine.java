package dev.onset.sources.exposition;

import dev.onset.signals.Text;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of one sample line, {@code name{label="value",…} number [timestamp] [# exemplar]}: where its parts stand in
 * the body, or what is wrong with it. Reused for every line of a body; strings are made only when they are asked for.
 */
final class SampleLine {
    private final byte[] text;
    private final Words words;
    private final LabelBlock block;
    private final Numbers numbers = new Numbers();
    private int nameFrom;
    private int nameTo;
    private @Nullable String name;
    private long nameHash;
    private long labelsHash;
    private String[] pairs = {};
    private int valueFrom;

    private Problem problem = Problem.NO_NAME;
    private int subjectFrom;
    private int subjectTo;
    private int foundFrom;
    private int foundTo;

    SampleLine(byte[] text) {
        this.text = text;
        this.words = new Words(text);
        this.block = new LabelBlock(text, words);
    }

    /**
     * Reads {@code [from, to)}, which holds no newline and ends in no carriage return.
     *
     * @return whether the line is good; otherwise {@link #problem} tells why
     */
    boolean read(int from, int to) {
        if (!readHead(from, to)) {
            return false;
        }
        Problem wrong = numbers.read(text, valueFrom, to);
        return wrong == null || fault(wrong, nameFrom, nameTo, numbers.foundFrom(), numbers.foundTo());
    }

    /**
     * Reads a line before its end is known, which saves looking for it.
     *
     * @return where the line ends, newline and carriage returns apart; -1 for a line that {@link #read} has to judge
     */
    int readAhead(int from, int end) {
        if (!readHead(from, end)) {
            return -1;
        }
        int to = numbers.readValue(text, valueFrom, end);
        if (to < 0) {
            to = withoutReturns(valueFrom, Bytes.lineEnd(text, valueFrom, end));
            to = numbers.read(text, valueFrom, to) == null ? to : -1;
        }
        return to;
    }

    /** The end of a line that may end in carriage returns before its newline. */
    int withoutReturns(int from, int lineEnd) {
        int to = lineEnd;
        while (to > from && text[to - 1] == '\r') {
            to--;
        }
        return to;
    }

    /** Reads name and labels. Neither can hold a newline, so {@code to} may lie behind the line. */
    private boolean readHead(int from, int to) {
        block.clear();
        if (!readName(Numbers.skipBlanks(text, from, to), to)) {
            return fault(Problem.NO_NAME, nameFrom, nameFrom, nameFrom, to);
        }
        int at = Numbers.skipBlanks(text, nameTo, to);
        if (at < to && text[at] == '{') {
            at = block.read(at + 1, to);
            if (at < 0) {
                boolean aboutLabel = block.subjectTo() > 0;
                return fault(
                        block.problem(),
                        aboutLabel ? block.subjectFrom() : nameFrom,
                        aboutLabel ? block.subjectTo() : nameTo,
                        block.foundFrom(),
                        block.foundTo());
            }
        } else if (at == nameTo && at < to) {
            return fault(Problem.BAD_NAME, nameFrom, nameTo, at, to);
        }
        valueFrom = Numbers.skipBlanks(text, at, to);
        return true;
    }

    /** The lines of a histogram repeat its name, which is then compared, not read again. */
    private boolean readName(int from, int to) {
        int end = from + nameTo - nameFrom;
        boolean repeated =
                end > from && end < to && text[end] == '{' && Arrays.equals(text, nameFrom, nameTo, text, from, end);
        if (!repeated) {
            name = null;
            end = Letters.nameEnd(text, from, to);
        }
        nameFrom = from;
        nameTo = end;
        return end > from;
    }

    private boolean fault(Problem what, int subjectStart, int subjectEnd, int foundStart, int foundEnd) {
        problem = what;
        subjectFrom = subjectStart;
        subjectTo = subjectEnd;
        foundFrom = foundStart;
        foundTo = foundEnd;
        return false;
    }

    /** What is wrong with the line that was read last and was not good. */
    Text problem() {
        return problem.text(Visible.of(text, subjectFrom, subjectTo), Visible.of(text, foundFrom, foundTo));
    }

    int nameFrom() {
        return nameFrom;
    }

    int nameTo() {
        return nameTo;
    }

    /** Where the part begins that {@link #numbers} were read from. */
    int valueFrom() {
        return valueFrom;
    }

    Numbers numbers() {
        return numbers;
    }

    String name() {
        String known = name;
        if (known == null) {
            nameHash = Bytes.hash(text, nameFrom, nameTo);
            known = words.word(nameHash, nameFrom, nameTo);
            name = known;
        }
        return known;
    }

    Labels labels() {
        if (pairs.length != 2 * block.count()) {
            pairs = new String[2 * block.count()];
        }
        labelsHash = block.read(pairs);
        return pairs.length == 0 ? Labels.NONE : new Labels(List.of(pairs));
    }

    /** Of the name and labels that were asked for last, the same for any order of the labels. */
    long seriesHash() {
        return Bytes.mix(nameHash + labelsHash);
    }
}
