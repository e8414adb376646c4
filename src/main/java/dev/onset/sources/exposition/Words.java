package dev.onset.sources.exposition;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Strings of one body that were made before: an exporter repeats the same few names and values on every line. */
final class Words {
    private static final int SIZE = 1024;

    private final byte[] body;
    private final int[] from = new int[SIZE];
    private final int[] to = new int[SIZE];
    private final @Nullable String[] words = new @Nullable String[SIZE];

    Words(byte[] body) {
        this.body = body;
    }

    /** The word made of the same bytes as {@code [wordFrom, wordTo)}, or null. */
    @Nullable
    String find(long hash, int wordFrom, int wordTo) {
        int slot = slot(hash);
        String word = words[slot];
        return word != null && Arrays.equals(body, from[slot], to[slot], body, wordFrom, wordTo) ? word : null;
    }

    String remember(long hash, int wordFrom, int wordTo, String word) {
        int slot = slot(hash);
        from[slot] = wordFrom;
        to[slot] = wordTo;
        words[slot] = word;
        return word;
    }

    private static int slot(long hash) {
        return (int) (hash >>> 40) & (SIZE - 1);
    }
}
