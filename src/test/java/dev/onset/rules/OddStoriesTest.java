package dev.onset.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stories that make no sense: rules answer something, with readable sentences, and never fail. */
class OddStoriesTest {
    private static final List<Signal> STATED = Arrays.stream(Signal.values())
            .filter(signal -> signal.kind() == Signal.Kind.COUNTER || signal.kind() == Signal.Kind.GAUGE)
            .filter(signal -> signal.scope() != ScopeKind.TARGET)
            .toList();
    private static final String[] ODD = {
        "0", "1", "0.5", "-1", "1e300", "1e-300", "40M", "100M", "2G", "9e18", "_", "_x2"
    };
    private static final String[] EVENTS = {"expire-cycle", "expire-del", "fork", "command", "eviction-cycle", "🐢\\"};
    private static final String[] COMMANDS = {"KEYS a*", "LRANGE c1_0 0 1", "", "%s%n{}", "EVALSHA x"};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void are_judged_like_any_other(long seed) throws IOException {
        Random random = new Random(seed);
        List<List<String>> stories = stories();
        for (int i = 0; i < 40; i++) {
            String[] lines = i % 4 == 0 ? story(random) : twisted(random, stories);
            for (Rule rule : RuleBook.RULES) {
                new Stage(Trace.of(lines))
                        .verdicts(rule)
                        .forEach(verdict -> verdict.fold(
                                quiet -> quiet,
                                found -> {
                                    isReadable(found.finding(), lines);
                                    return found;
                                },
                                unsure -> unsure));
            }
        }
    }

    private static void isReadable(Finding finding, String... lines) {
        RuleTraceTest.texts(finding).forEach(text -> assertThat(text.en() + text.zh())
                .as(String.join("\n", lines))
                .doesNotContain("NaN", "Infinity", "%1$"));
        assertThat(finding.lanes()).hasSizeLessThanOrEqualTo(7);
        assertThat(finding.onsets()).isSortedAccordingTo(Comparator.comparingLong(Onset::toMillis));
    }

    /** A true story with lines left out and values that cannot be. */
    private static String[] twisted(Random random, List<List<String>> stories) {
        List<String> lines = new ArrayList<>();
        for (String line : stories.get(random.nextInt(stories.size()))) {
            boolean series = line.matches("[a-z_0-9]+(\\{.*})? [0-9_.].*x.*");
            if (random.nextInt(20) == 0) {
                continue;
            }
            if (!series || random.nextInt(4) > 0) {
                lines.add(line);
                continue;
            }
            String[] words = line.split(" ", -1);
            words[1 + random.nextInt(words.length - 1)] =
                    ODD[random.nextInt(ODD.length)] + (random.nextBoolean() ? "" : " _");
            lines.add(String.join(" ", words));
        }
        return lines.toArray(String[]::new);
    }

    private static List<List<String>> stories() throws IOException {
        try (Stream<Path> files = Files.walk(RuleTraceTest.TRACES)) {
            List<List<String>> stories = new ArrayList<>();
            for (Path file : files.filter(path -> path.toString().endsWith(".trace"))
                    .sorted()
                    .toList()) {
                stories.add(Files.readAllLines(file).stream()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                        .toList());
            }
            return stories;
        }
    }

    private static String[] story(Random random) {
        List<String> lines = new ArrayList<>();
        // What rules need is there nearly always, so that they get beyond "unsure"; the rest comes as it likes.
        for (Signal signal : STATED) {
            boolean needed = RuleBook.RULES.stream()
                    .anyMatch(rule -> rule.card().needs().contains(signal) || signal == Signal.ACCELERATOR_USE);
            if (random.nextInt(10) < (needed ? 9 : 4)) {
                String part = signal.scope() == ScopeKind.HOST && signal.id().startsWith("dev_")
                        ? "{nvme0n1}"
                        : signal == Signal.COMMAND_SECONDS || signal == Signal.COMMAND_CALLS ? "{get}" : "";
                lines.add(signal.id() + part + " " + values(random, signal));
            }
        }
        lines.add("pings 0.0002x" + random.nextInt(30));
        for (int i = 0; i < 12; i++) {
            int at = 200 + random.nextInt(250);
            String lasted = random.nextInt(8) == 0 ? "lost" : String.format(Locale.ROOT, "%.3f", random.nextDouble());
            lines.add("ping " + at + "s " + lasted);
            lines.add("latency " + EVENTS[random.nextInt(EVENTS.length)] + " " + (at + random.nextInt(2)) + "s "
                    + String.format(Locale.ROOT, "%.3f", random.nextDouble()));
            lines.add("slow \"" + COMMANDS[random.nextInt(COMMANDS.length)] + "\" " + at + "s 0.3");
        }
        if (random.nextBoolean()) {
            lines.add("down juicefs " + random.nextInt(20) + "-" + (20 + random.nextInt(10)));
        }
        lines.add("fact mount Chunk.Writeback true");
        lines.add("fact mount Chunk.CacheSize " + (random.nextBoolean() ? "NaN" : "many"));
        lines.add("fact mount Chunk.CacheDir " + (random.nextBoolean() ? "/data/c" : "%s"));
        lines.add("fact host device./data /dev/nvme0n1p1");
        lines.add("fact redis config.save " + (random.nextBoolean() ? "" : "3600 1 $x\\"));
        lines.add("fact redis info.maxmemory_policy " + (random.nextBoolean() ? "allkeys-lru" : "%s$\\"));
        lines.add("fact redis info.db5 keys=1,expires=1");
        return lines.toArray(String[]::new);
    }

    private static String values(Random random, Signal signal) {
        boolean share = signal == Signal.ACCELERATOR_USE || signal == Signal.ACCELERATOR_ENGINE;
        String steady = share ? "0.97" : ODD[random.nextInt(4)];
        StringBuilder values = new StringBuilder(steady + "x" + (8 + random.nextInt(10)));
        for (int i = 0; i < 8; i++) {
            values.append(' ').append(share ? random.nextInt(2) * 0.9 + "" : ODD[random.nextInt(ODD.length)]);
        }
        return values.toString();
    }
}
