package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One label where it stands in the body. Lines that repeat it byte for byte share it, and with it its strings. */
final class Label {
    private int nameFrom;
    private int nameTo;
    private int valueFrom;
    private int valueTo;
    private boolean escaped;
    private boolean takenOver;
    private @Nullable String name;
    private String value = "";
    private long hash;

    void set(int newNameFrom, int newNameTo, int newValueFrom, int newValueTo, boolean hasEscapes) {
        nameFrom = newNameFrom;
        nameTo = newNameTo;
        valueFrom = newValueFrom;
        valueTo = newValueTo;
        escaped = hasEscapes;
        takenOver = false;
        name = null;
    }

    void takeOver() {
        takenOver = true;
    }

    boolean isTakenOver() {
        return takenOver;
    }

    /** The bytes from the first of the name to the closing quote. */
    int length() {
        return valueTo + 1 - nameFrom;
    }

    boolean isAlsoAt(byte[] body, int from) {
        return Arrays.equals(body, nameFrom, valueTo + 1, body, from, from + length());
    }

    boolean hasName(byte[] body, int from, int to) {
        return Arrays.equals(body, nameFrom, nameTo, body, from, to);
    }

    boolean hasNameOf(byte[] body, Label other) {
        return hasName(body, other.nameFrom, other.nameTo);
    }

    /** Writes name and value behind each other into {@code pairs}; answers a hash of both. */
    long read(byte[] body, Words words, String[] pairs, int at) {
        String known = name;
        if (known == null) {
            known = makeStrings(body, words);
            name = known;
        }
        pairs[at] = known;
        pairs[at + 1] = value;
        return hash;
    }

    private String makeStrings(byte[] body, Words words) {
        long nameHash = Bytes.hash(body, nameFrom, nameTo);
        long valueHash = Bytes.hash(body, valueFrom, valueTo);
        if (escaped) {
            value = unescape(new String(body, valueFrom, valueTo - valueFrom, UTF_8));
            // One value can be escaped in two ways.
            byte[] plain = value.getBytes(UTF_8);
            valueHash = Bytes.hash(plain, 0, plain.length);
        } else {
            value = words.word(valueHash, valueFrom, valueTo);
        }
        hash = Bytes.mix(nameHash ^ Long.rotateLeft(valueHash, 32));
        return words.word(nameHash, nameFrom, nameTo);
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
}
