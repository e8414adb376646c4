package dev.onset.sources.exposition;

/** The letters that names are made of. */
final class Letters {
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

    private Letters() {}

    /** The place behind the metric name that starts at {@code from}; {@code from} where none does. */
    static int nameEnd(byte[] text, int from, int to) {
        return end(text, from, to, FIRST | COLON, LATER | COLON);
    }

    /** The same for the name of a label, which has no colon. */
    static int labelEnd(byte[] text, int from, int to) {
        return end(text, from, to, FIRST, LATER);
    }

    private static int end(byte[] text, int from, int to, int first, int later) {
        if (from == to || (LETTERS[text[from] & 0xff] & first) == 0) {
            return from;
        }
        int at = from + 1;
        while (at < to && (LETTERS[text[at] & 0xff] & later) != 0) {
            at++;
        }
        return at;
    }
}
