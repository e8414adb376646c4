package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

/** A stretch of a hostile body as it may stand in a sentence: short, and without characters that act instead of show. */
final class Visible {
    private static final int MAX_CHARACTERS = 60;

    private Visible() {}

    static String of(byte[] text, int from, int to) {
        int clipped = Math.min(to, from + 4 * MAX_CHARACTERS);
        String decoded = new String(text, from, clipped - from, UTF_8);
        StringBuilder shown = new StringBuilder();
        int at = 0;
        for (int count = 0; at < decoded.length() && count < MAX_CHARACTERS; count++) {
            int character = decoded.codePointAt(at);
            at += Character.charCount(character);
            append(shown, character);
        }
        return at < decoded.length() || clipped < to ? shown.append('…').toString() : shown.toString();
    }

    private static void append(StringBuilder shown, int character) {
        switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> shown.append(String.format("\\u{%x}", character));
            default -> shown.appendCodePoint(character);
        }
    }
}
