package dev.onset.sources.exposition;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The labels of one sample in the order they were written, unescaped.
 *
 * @param pairs names and values alternating
 */
public record Labels(List<String> pairs) {
    public static final Labels NONE = new Labels(List.of());

    public Labels {
        pairs = List.copyOf(pairs);
    }

    /** The value of a label, or null where it is absent. */
    public @Nullable String get(String name) {
        for (int i = 0; i < pairs.size(); i += 2) {
            if (pairs.get(i).equals(name)) {
                return pairs.get(i + 1);
            }
        }
        return null;
    }
}
