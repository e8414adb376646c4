package dev.onset.outlets.api;

import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads request parameters; what cannot be used is answered with what is allowed. */
final class Ask {
    static final int MOST_ROWS = 500;
    static final Duration LONGEST_WINDOW = Duration.ofHours(24);
    private static final int MOST_SIGNALS = 32;
    private static final int LONGEST_NAME = 512;
    private static final int LONGEST_SEARCH = 200;
    private static final Map<String, Signal> SIGNALS =
            Arrays.stream(Signal.values()).collect(Collectors.toMap(Signal::id, Function.identity()));

    private Ask() {}

    static Locale locale(@Nullable String lang, @Nullable Locale accepted) {
        if (lang == null) {
            return accepted != null && accepted.getLanguage().equals("zh") ? Locale.SIMPLIFIED_CHINESE : Locale.ENGLISH;
        }
        return switch (lang) {
            case "en" -> Locale.ENGLISH;
            case "zh" -> Locale.SIMPLIFIED_CHINESE;
            default -> throw wrong("lang", lang, "en, zh");
        };
    }

    static int limit(String name, @Nullable String limit, int usual) {
        if (limit == null) {
            return usual;
        }
        try {
            int number = Integer.parseInt(limit);
            if (number >= 1 && number <= MOST_ROWS) {
                return number;
            }
        } catch (NumberFormatException e) {
            // answered below, like a number out of range
        }
        throw wrong(name, limit, "a whole number from 1 to " + MOST_ROWS);
    }

    static <E extends Enum<E>> E oneOf(String name, @Nullable String value, E[] allowed) {
        for (E each : allowed) {
            if (camel(each).equals(value)) {
                return each;
            }
        }
        throw wrong(name, value, Arrays.stream(allowed).map(Ask::camel).collect(Collectors.joining(", ")));
    }

    /** What a person searches for, fit for {@link Page#holds}. */
    static String search(@Nullable String typed) {
        return typed("q", typed, LONGEST_SEARCH).toLowerCase(Locale.ROOT);
    }

    static Scope scope(@Nullable String kind, @Nullable String group, @Nullable String id) {
        return new Scope(oneOf("kind", kind, ScopeKind.values()), name("group", group), name("id", id));
    }

    static List<Signal> signals(@Nullable String signals) {
        if (signals == null || signals.isBlank()) {
            return List.of();
        }
        List<Signal> found = new ArrayList<>();
        for (String id : signals.split(",", MOST_SIGNALS + 1)) {
            Signal signal = SIGNALS.get(id);
            if (signal == null || found.size() == MOST_SIGNALS) {
                throw wrong(
                        "signals",
                        id,
                        "up to " + MOST_SIGNALS + " of "
                                + SIGNALS.keySet().stream().sorted().collect(Collectors.joining(", ")));
            }
            found.add(signal);
        }
        return found;
    }

    static long time(String name, @Nullable String value) {
        if (value != null) {
            try {
                return Instant.parse(value).toEpochMilli();
            } catch (DateTimeException | ArithmeticException e) {
                // answered below, like a missing one
            }
        }
        throw wrong(name, value, "a time such as 2026-12-01T14:21:30Z");
    }

    static void window(long fromMillis, long toMillis) {
        if (toMillis <= fromMillis || toMillis - fromMillis > LONGEST_WINDOW.toMillis()) {
            throw wrong(
                    "to",
                    Times.at(toMillis),
                    "a time after from, at most " + LONGEST_WINDOW.toHours() + " hours later");
        }
    }

    /** Text that a person typed: trimmed, without control characters, of bounded length. */
    static String typed(String name, @Nullable String value, int longest) {
        if (value == null) {
            return "";
        }
        if (value.length() > longest) {
            throw wrong(name, value.substring(0, 40) + "…", "at most " + longest + " characters");
        }
        return value.replaceAll("[\\p{Cntrl}&&[^\n]]|\\p{Cf}", "").strip();
    }

    static BadInput wrong(String name, @Nullable String value, String allowed) {
        return new BadInput(name, value == null ? "missing" : shorten(value), allowed);
    }

    private static String name(String name, @Nullable String value) {
        if (value == null || value.isEmpty() || value.length() > LONGEST_NAME) {
            throw wrong(name, value, "1 to " + LONGEST_NAME + " characters, as listed by /api/v1/scopes");
        }
        return value;
    }

    private static String shorten(String value) {
        return '"' + (value.length() > 80 ? value.substring(0, 80) + "…" : value) + '"';
    }

    static String camel(Enum<?> value) {
        String[] words = value.name().toLowerCase(Locale.ROOT).split("_", -1);
        return words[0]
                + Arrays.stream(words)
                        .skip(1)
                        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                        .collect(Collectors.joining());
    }

    /** A parameter that cannot be used. */
    static final class BadInput extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String parameter;
        private final String allowed;

        BadInput(String parameter, String value, String allowed) {
            super(parameter + " is " + value + "; allowed: " + allowed);
            this.parameter = parameter;
            this.allowed = allowed;
        }

        String parameter() {
            return parameter;
        }

        String allowed() {
            return allowed;
        }
    }
}
