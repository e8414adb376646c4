package dev.onset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The words after a command: {@code --name value}, {@code --name=value}, switches, and everything else. */
final class Options {
    private final Map<String, String> values = new HashMap<>();
    private final List<String> others = new ArrayList<>();

    /** An option that does not exist or has a wrong value; the message names it and what is allowed. */
    static final class Wrong extends RuntimeException {
        Wrong(String message) {
            super(message);
        }
    }

    static Options of(List<String> words, String... switches) {
        Options options = new Options();
        Set<String> alone = Set.of(switches);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("--")) {
                options.others.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String name = equals > 0 ? word.substring(2, equals) : word.substring(2);
            if (equals > 0) {
                options.values.put(name, word.substring(equals + 1));
            } else if (alone.contains(name)) {
                options.values.put(name, "true");
            } else if (i + 1 < words.size()) {
                options.values.put(name, words.get(++i));
            } else {
                throw new Wrong("--" + name + " needs a value");
            }
        }
        return options;
    }

    /** Refuses what nobody reads. */
    Options allow(String... names) {
        Set<String> allowed = Set.of(names);
        for (String name : values.keySet()) {
            if (!allowed.contains(name)) {
                throw new Wrong("unknown option --" + name + "; allowed: --"
                        + String.join(", --", allowed.stream().sorted().toList()));
            }
        }
        return this;
    }

    List<String> others() {
        return others;
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    @Nullable
    String get(String name) {
        return values.get(name);
    }

    String get(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    Map<String, String> all() {
        return Map.copyOf(values);
    }

    Duration duration(String name, String otherwise, Duration least, Duration most) {
        String text = get(name, otherwise);
        Duration duration;
        try {
            duration = DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new Wrong("--" + name + " " + text + ": not a duration such as 15s");
        }
        if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
            throw new Wrong("--" + name + " " + text + ": allowed are " + DurationStyle.SIMPLE.print(least) + " to "
                    + DurationStyle.SIMPLE.print(most));
        }
        return duration;
    }

    double number(String name, double otherwise) {
        String text = get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new Wrong("--" + name + " " + text + ": not a number");
        }
    }
}
