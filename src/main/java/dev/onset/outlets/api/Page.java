package dev.onset.outlets.api;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of a long list that has an order. A page begins after a name instead of at a number, so that nothing is
 * shown twice or skipped when others come and go meanwhile.
 *
 * @param items the entries of this page
 * @param matching how many entries all pages together have
 * @param next what to ask the next page with; null on the last
 */
record Page<T>(List<T> items, int matching, @Nullable String next) {
    /** Where an entry stands: by group, then by kind, then by its own name. */
    record Name(String group, Enum<?> kind, String id) implements Comparable<Name> {
        private static final Comparator<Name> ORDER = Comparator.comparing(Name::group, Natural.ORDER)
                .thenComparing(name -> name.kind.ordinal())
                .thenComparing(Name::id, Natural.ORDER);

        @Override
        public int compareTo(Name other) {
            return ORDER.compare(this, other);
        }

        String cursor() {
            byte[] text = (kind.name() + " " + group.length() + " " + group + id).getBytes(StandardCharsets.UTF_8);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
        }

        static <E extends Enum<E>> Name read(String cursor, E[] kinds) {
            try {
                String[] parts =
                        new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split(" ", 3);
                for (E kind : kinds) {
                    if (parts.length == 3 && kind.name().equals(parts[0])) {
                        int length = Integer.parseInt(parts[1]);
                        return new Name(parts[2].substring(0, length), kind, parts[2].substring(length));
                    }
                }
            } catch (IllegalArgumentException | StringIndexOutOfBoundsException notOurs) {
                // answered below
            }
            throw Ask.wrong("after", cursor, "the next of an earlier page");
        }
    }

    /**
     * @param all in the order of their names
     * @param after the last name of the page before; null for the first page
     */
    static <T> Page<T> of(List<T> all, Predicate<T> wanted, Function<T, Name> name, int limit, @Nullable Name after) {
        List<T> matching = all.stream().filter(wanted).toList();
        List<T> left = after == null
                ? matching
                : matching.stream()
                        .filter(each -> name.apply(each).compareTo(after) > 0)
                        .toList();
        List<T> items = left.size() > limit ? List.copyOf(left.subList(0, limit)) : left;
        String next = left.size() > limit ? name.apply(items.get(limit - 1)).cursor() : null;
        return new Page<>(items, matching.size(), next);
    }

    /** Whether one of the texts holds what a person typed, in any case. */
    static boolean holds(String typed, @Nullable String... texts) {
        if (typed.isEmpty()) {
            return true;
        }
        for (String text : texts) {
            if (text != null && text.toLowerCase(Locale.ROOT).contains(typed)) {
                return true;
            }
        }
        return false;
    }
}
