package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The strings of one body, most of them made once: an exporter repeats the same few names and values on every line. */
final class Words {
    private static final int SIZE = 256;

    private final byte[] body;
    private final int[] from = new int[SIZE];
    private final int[] to = new int[SIZE];
    private final @Nullable String[] words = new @Nullable String[SIZE];

    Words(byte[] body) {
        this.body = body;
    }

    /** The well-formed UTF-8 in {@code [wordFrom, wordTo)}, whose hash the caller knows. */
    String word(long hash, int wordFrom, int wordTo) {
        int slot = (int) (hash >>> 40) & (SIZE - 1);
        String known = words[slot];
        if (known != null && Arrays.equals(body, from[slot], to[slot], body, wordFrom, wordTo)) {
            return known;
        }
        String word = new String(body, wordFrom, wordTo - wordFrom, UTF_8);
        from[slot] = wordFrom;
        to[slot] = wordTo;
        words[slot] = word;
        return word;
    }
}
