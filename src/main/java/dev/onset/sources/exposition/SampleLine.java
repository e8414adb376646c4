package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Text;

/**
 * The syntax of one sample line, {@code name{label="value",…} number [timestamp] [# exemplar]}: where its parts stand in
 * the body, or what is wrong with it. Reused for every line, so that reading a line allocates nothing.
 */
final class SampleLine {
    static final int MAX_LABELS = 128;

    private static final byte FIRST = 1;
    private static final byte LATER = 2;
    private static final byte COLON = 4;
    private static final byte[] LETTERS = new byte[256];

    static {
        for (int letter = 0; letter < 128; letter++) {
            boolean alphabetic = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
            boolean digit = letter >= '0' && letter <= '9';
            LETTERS[letter] = alphabetic ? FIRST | LATER : digit ? LATER : letter == ':' ? COLON : 0;
        }
    }

    private final Numbers numbers = new Numbers();
    private final int[] positions = new int[4 * MAX_LABELS];
    private final boolean[] escaped = new boolean[MAX_LABELS];

    private byte[] text = new byte[0];
    private int nameFrom;
    private int nameTo;
    private int labelCount;
    private int valueFrom;

    private Problem problem = Problem.NO_NAME;
    private int subjectFrom;
    private int subjectTo;
    private int foundFrom;
    private int foundTo;

    /**
     * Reads {@code [from, to)}, which holds no newline and ends in no carriage return.
     *
     * @return whether the line is good; otherwise {@link #problem} tells why
     */
    boolean read(byte[] body, int from, int to) {
        text = body;
        labelCount = 0;
        nameFrom = skipBlanks(from, to);
        nameTo = nameEnd(nameFrom, to);
        if (nameTo == nameFrom) {
            return fault(Problem.NO_NAME, nameFrom, nameFrom, nameFrom, to);
        }
        int at = skipBlanks(nameTo, to);
        if (at < to && body[at] == '{') {
            at = readLabels(at + 1, to);
            if (at < 0) {
                return false;
            }
        } else if (at == nameTo && at < to) {
            return fault(Problem.BAD_NAME, nameFrom, nameTo, at, to);
        }
        valueFrom = skipBlanks(at, to);
        Problem wrong = numbers.read(body, valueFrom, to);
        return wrong == null || fault(wrong, nameFrom, nameTo, numbers.foundFrom(), numbers.foundTo());
    }

    /** Reads what stands between the braces, and the closing one; answers the place behind it, or -1. */
    private int readLabels(int from, int to) {
        int at = skipBlanks(from, to);
        while (at < to && text[at] != '}') {
            at = readLabel(at, to);
            if (at < 0) {
                return -1;
            }
            if (at < to && text[at] == ',') {
                at = skipBlanks(at + 1, to);
            }
        }
        if (at >= to) {
            fault(Problem.NO_BRACE, nameFrom, nameTo, at, to);
            return -1;
        }
        return at + 1;
    }

    /** Reads {@code label="value"} and the blanks behind it; answers the place of the comma or brace, or -1. */
    private int readLabel(int from, int to) {
        int labelTo = labelEnd(from, to);
        if (labelTo == from) {
            fault(Problem.NO_LABEL_NAME, nameFrom, nameTo, from, to);
            return -1;
        }
        int equals = skipBlanks(labelTo, to);
        if (equals == to || text[equals] != '=') {
            fault(Problem.NO_EQUALS, from, labelTo, equals, to);
            return -1;
        }
        int quote = skipBlanks(equals + 1, to);
        if (quote == to || text[quote] != '"') {
            fault(Problem.NO_QUOTE, from, labelTo, quote, to);
            return -1;
        }
        if (labelCount == MAX_LABELS) {
            fault(Problem.TOO_MANY_LABELS, nameFrom, nameTo, from, to);
            return -1;
        }
        int close = valueEnd(from, labelTo, quote + 1, to);
        if (close < 0) {
            return -1;
        }
        int next = skipBlanks(close + 1, to);
        if (next < to && text[next] != ',' && text[next] != '}') {
            fault(Problem.STRAY_QUOTE, from, labelTo, close + 1, to);
            return -1;
        }
        return add(from, labelTo, quote + 1, close) ? next : -1;
    }

    /** The closing quote of a label's value, or -1. */
    private int valueEnd(int labelFrom, int labelTo, int from, int to) {
        escaped[labelCount] = false;
        int at = from;
        while (true) {
            at = Bytes.plainEnd(text, at, to);
            if (at == to) {
                fault(Problem.OPEN_QUOTE, labelFrom, labelTo, from, to);
                return -1;
            }
            if (text[at] == '"') {
                return at;
            }
            int step;
            if (text[at] == '\\') {
                escaped[labelCount] = true;
                // Behind the backslash may stand the first byte of a longer character: that is checked on its own.
                step = at + 1 < to && text[at + 1] > 0 ? 2 : 1;
            } else if (text[at] == 0) {
                fault(Problem.NUL, labelFrom, labelTo, from, to);
                return -1;
            } else {
                step = Bytes.characterLength(text, at, to);
            }
            if (step == 0) {
                fault(Problem.BAD_UTF8, labelFrom, labelTo, from, to);
                return -1;
            }
            at += step;
        }
    }

    private boolean add(int labelFrom, int labelTo, int from, int to) {
        for (int label = 0; label < labelCount; label++) {
            if (same(labelNameFrom(label), labelNameTo(label), labelFrom, labelTo)) {
                return fault(Problem.REPEATED_LABEL, labelFrom, labelTo, from, to);
            }
        }
        int at = 4 * labelCount++;
        positions[at] = labelFrom;
        positions[at + 1] = labelTo;
        positions[at + 2] = from;
        positions[at + 3] = to;
        return true;
    }

    private boolean same(int aFrom, int aTo, int bFrom, int bTo) {
        if (aTo - aFrom != bTo - bFrom) {
            return false;
        }
        for (int a = aFrom, b = bFrom; a < aTo; a++, b++) {
            if (text[a] != text[b]) {
                return false;
            }
        }
        return true;
    }

    private int nameEnd(int from, int to) {
        int allowed = FIRST | COLON;
        int at = from;
        while (at < to && (LETTERS[text[at] & 0xff] & allowed) != 0) {
            allowed = LATER | COLON;
            at++;
        }
        return at;
    }

    private int labelEnd(int from, int to) {
        int allowed = FIRST;
        int at = from;
        while (at < to && (LETTERS[text[at] & 0xff] & allowed) != 0) {
            allowed = LATER;
            at++;
        }
        return at;
    }

    private int skipBlanks(int from, int to) {
        return Numbers.skipBlanks(text, from, to);
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

    int labelCount() {
        return labelCount;
    }

    int labelNameFrom(int label) {
        return positions[4 * label];
    }

    int labelNameTo(int label) {
        return positions[4 * label + 1];
    }

    int labelValueFrom(int label) {
        return positions[4 * label + 2];
    }

    int labelValueTo(int label) {
        return positions[4 * label + 3];
    }

    boolean isEscaped(int label) {
        return escaped[label];
    }

    /** The value of a label without its escapes. */
    String labelValue(int label) {
        int from = labelValueFrom(label);
        String raw = new String(text, from, labelValueTo(label) - from, UTF_8);
        return escaped[label] ? unescape(raw) : raw;
    }

    /** As Prometheus does, a backslash before any other character is kept. */
    private static String unescape(String raw) {
        StringBuilder plain = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char letter = raw.charAt(i);
            char next = letter == '\\' && i + 1 < raw.length() ? raw.charAt(i + 1) : 0;
            if (next == 'n' || next == '"' || next == '\\') {
                plain.append(next == 'n' ? '\n' : next);
                i++;
            } else {
                plain.append(letter);
            }
        }
        return plain.toString();
    }

    /** Where the part begins that {@link #numbers} were read from. */
    int valueFrom() {
        return valueFrom;
    }

    Numbers numbers() {
        return numbers;
    }
}
