package dev.onset.sources.exposition;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the remembered bodies of many targets have in common. Mounts of one volume and version differ in nothing but
 * their numbers and their host's name, so one text serves them all. Bounded: what does not fit is not remembered, and its
 * bodies are read in full. One thread at a time.
 */
public final class Layouts {
    final Decimal number = new Decimal();
    final Numbers numbers = new Numbers();

    private final long mostBytes;
    private final Map<LayoutText, Held> texts = new HashMap<>();
    private long bytes;

    /** A text and how many targets use it. */
    private static final class Held {
        final LayoutText text;
        int users;

        Held(LayoutText text) {
            this.text = text;
        }
    }

    /**
     * @param mostBytes of text that may be remembered
     */
    public Layouts(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** How many bytes are remembered. */
    public long bytes() {
        return bytes;
    }

    /** The text to use in place of an equal one; null when there is no room for it. */
    @Nullable
    LayoutText share(LayoutText text) {
        Held held = texts.get(text);
        if (held == null) {
            if (bytes + text.bytes() > mostBytes) {
                return null;
            }
            held = new Held(text);
            texts.put(text, held);
            bytes += text.bytes();
        }
        held.users++;
        return held.text;
    }

    void release(LayoutText text) {
        Held held = texts.get(text);
        if (held != null && --held.users == 0) {
            texts.remove(text);
            bytes -= text.bytes();
        }
    }
}
