package dev.onset.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Lexes exposition text the way Prometheus' text parser does: a state for each kind of token, one look at each byte, the
 * series as offsets, the value as a float. Only good for bodies without faults, it is a scale and no parser.
 */
final class Tokeniser {
    private enum State {
        LINE,
        COMMENT,
        NAME,
        LABELS,
        LABEL_NAME,
        LABEL_VALUE,
        VALUE
    }

    private int[] offsets = new int[64];

    double read(byte[] text) {
        State state = State.LINE;
        double sum = 0;
        int found = 0;
        int from = 0;
        for (int at = 0; at < text.length; at++) {
            byte letter = text[at];
            switch (state) {
                case LINE -> {
                    found = 0;
                    from = at;
                    state = letter == '#' ? State.COMMENT : State.NAME;
                }
                case COMMENT -> {
                    if (letter == '\n') {
                        state = State.LINE;
                    }
                }
                case NAME -> {
                    if (letter == '{' || letter == ' ') {
                        offset(found++, at);
                        from = at + 1;
                        state = letter == '{' ? State.LABELS : State.VALUE;
                    } else if (!isName(letter)) {
                        throw new IllegalStateException("at " + at);
                    }
                }
                case LABELS -> {
                    from = at;
                    if (letter == '}') {
                        from = at + 2;
                        at++;
                        state = State.VALUE;
                    } else if (letter != ',') {
                        offset(found++, at);
                        state = State.LABEL_NAME;
                    }
                }
                case LABEL_NAME -> {
                    if (letter == '=') {
                        offset(found++, at);
                        offset(found++, ++at + 1);
                        state = State.LABEL_VALUE;
                    } else if (!isName(letter)) {
                        throw new IllegalStateException("at " + at);
                    }
                }
                case LABEL_VALUE -> {
                    if (letter == '\\') {
                        at++;
                    } else if (letter == '"') {
                        offset(found++, at);
                        state = State.LABELS;
                    }
                }
                case VALUE -> {
                    if (letter == '\n') {
                        sum += Double.parseDouble(new String(text, from, at - from, US_ASCII));
                        state = State.LINE;
                    }
                }
            }
        }
        return sum + found;
    }

    private void offset(int index, int at) {
        if (index == offsets.length) {
            offsets = java.util.Arrays.copyOf(offsets, 2 * index);
        }
        offsets[index] = at;
    }

    private static boolean isName(byte letter) {
        return letter >= 'a' && letter <= 'z'
                || letter >= 'A' && letter <= 'Z'
                || letter >= '0' && letter <= '9'
                || letter == '_'
                || letter == ':';
    }
}
