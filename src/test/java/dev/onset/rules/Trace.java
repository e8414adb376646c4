package dev.onset.rules;

import dev.onset.signals.Gap;
import dev.onset.signals.Moment;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A story of a few minutes on one page, as a rule would see it. A line is one of
 *
 * <pre>
 * step 15s                                   the step; 15 s when not stated
 * version juicefs 1.4.2                      of the client, or of redis
 * fact mount Chunk.Writeback true            a setting or state in words; also of redis and host
 * down node 4-7 timed_out                    steps in which a target gives no answer
 * host meta-a                                the host that the node exporter is on; gpu-01, the mount's, when not stated
 * about node                                 which target a rule about targets is asked about
 * SIGNAL{part} 0x9 40Mx5 _ 0+10x3            aligned values, one a step, in Prometheus' notation
 * pings 0.0002x19                            four round trips in every step
 * ping 127s 0.05 | ping 127s lost            one more
 * latency expire-cycle 127s 0.06             an event of Redis' latency monitor
 * slow "KEYS a*" 127s 0.03                   an entry of its slow log
 * expect found S2 likely | quiet | unsure    the verdict at the last step; quiet means never found before either
 * order before | together                    of the first two onsets
 * says | rules-out | unknown | missing | remedy | no-remedy | sub-cause TEXT
 * </pre>
 *
 * {@code 5x3} is the value and three repetitions, {@code _x3} three missing ones; K, M and G count in 1024s.
 */
final class Trace {
    /** A line of a signal. */
    record Line(Signal signal, String part, double[] values) {}

    /** A moment, seconds after the start. */
    record At(Moment.Kind kind, String name, double seconds, double lasted) {}

    /** A target without an answer from one step to another. */
    record Down(SourceKind source, int from, int to, Gap reason) {}

    /** What must be said, or must not. */
    record Says(String where, String what) {}

    private static final Pattern SIGNAL = Pattern.compile("([a-z_0-9]+)(?:\\{([^}]*)})?\\s+(.+)");
    private static final Pattern SLOW = Pattern.compile("slow \"([^\"]*)\" (\\S+)s (\\S+)");
    private static final String NUMBER = "[0-9.]+(?:e-?[0-9]+)?[KMG]?";
    private static final Pattern TERM = Pattern.compile("(-?" + NUMBER + ")(?:([+-])(" + NUMBER + "))?(?:x(\\d+))?");

    long stepMillis = 15_000;
    String host = "gpu-01";
    final Map<SourceKind, String> versions = new LinkedHashMap<>();
    final Map<String, Map<String, String>> facts = new LinkedHashMap<>();
    final List<Down> downs = new ArrayList<>();
    final List<Line> lines = new ArrayList<>();
    double[] pings = new double[0];
    final List<At> moments = new ArrayList<>();
    final List<Says> says = new ArrayList<>();

    @Nullable
    SourceKind about;

    String expect = "";
    String order = "";
    private final Path file;

    private Trace(Path file) {
        this.file = file;
    }

    static Trace read(Path file) {
        Trace trace = new Trace(file);
        int number = 0;
        try {
            for (String line : Files.readAllLines(file)) {
                number++;
                if (!line.isBlank() && !line.startsWith("#")) {
                    trace.take(line.strip());
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException(file + ":" + number + ": " + e.getMessage(), e);
        }
        if (trace.expect.isEmpty() || trace.lines.isEmpty()) {
            throw new IllegalArgumentException(file + ": needs an expect line and a series");
        }
        return trace;
    }

    /** A story without an expectation, for tests of what rules are built from. */
    static Trace of(String... lines) {
        Trace trace = new Trace(Path.of("inline", "inline.trace"));
        Arrays.stream(lines).forEach(trace::take);
        return trace;
    }

    /** The id of the rule: the name of the folder. */
    String rule() {
        return file.getName(file.getNameCount() - 2).toString();
    }

    int steps() {
        return Math.max(
                pings.length,
                lines.stream().mapToInt(line -> line.values.length).max().orElse(0));
    }

    boolean down(SourceKind source, int step) {
        return downs.stream().anyMatch(down -> down.source == source && step >= down.from && step <= down.to);
    }

    private void take(String line) {
        String[] words = line.split(" ", 4);
        switch (words[0]) {
            case "step" -> stepMillis = Math.round(seconds(words[1]) * 1e3);
            case "host" -> host = words[1];
            case "version" -> versions.put(source(words[1]), words[2]);
            case "fact" ->
                facts.computeIfAbsent(words[1], scope -> new LinkedHashMap<>())
                        .put(words[2], words.length > 3 ? words[3] : "");
            case "down" -> {
                String[] span = words[2].split("-", 2);
                Gap reason = words.length > 3 ? Gap.valueOf(words[3].toUpperCase(Locale.ROOT)) : Gap.TARGET_DOWN;
                downs.add(new Down(source(words[1]), Integer.parseInt(span[0]), Integer.parseInt(span[1]), reason));
            }
            case "about" -> about = source(words[1]);
            case "pings" -> pings = values(line.substring("pings ".length()));
            case "ping" -> moments.add(new At(Moment.Kind.PING, "", seconds(words[1]), lasted(words[2])));
            case "latency" ->
                moments.add(new At(Moment.Kind.LATENCY_EVENT, words[1], seconds(words[2]), lasted(words[3])));
            case "slow" -> slow(line);
            case "expect" -> expect = line.substring("expect ".length());
            case "order" -> order = words[1];
            case "says", "rules-out", "unknown", "missing", "remedy", "no-remedy", "sub-cause" ->
                says.add(new Says(words[0], line.substring(words[0].length() + 1)));
            default -> series(line);
        }
    }

    private void slow(String line) {
        Matcher slow = SLOW.matcher(line);
        if (!slow.matches()) {
            throw new IllegalArgumentException("expected: slow \"COMMAND\" 20s 0.03");
        }
        moments.add(new At(
                Moment.Kind.SLOW_COMMAND, slow.group(1), Double.parseDouble(slow.group(2)), lasted(slow.group(3))));
    }

    private void series(String line) {
        Matcher series = SIGNAL.matcher(line);
        if (!series.matches()) {
            throw new IllegalArgumentException("not understood: " + line);
        }
        Signal signal = Arrays.stream(Signal.values())
                .filter(candidate -> candidate.id().equals(series.group(1)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no signal " + series.group(1)));
        if (signal.kind() == Signal.Kind.DERIVED || signal.kind() == Signal.Kind.HISTOGRAM) {
            throw new IllegalArgumentException(signal.id() + " follows from others: state those");
        }
        String part = series.group(2) == null ? "" : series.group(2);
        lines.add(new Line(signal, part, values(series.group(3))));
    }

    static double[] values(String notation) {
        List<Double> values = new ArrayList<>();
        for (String term : notation.split("\\s+", -1)) {
            if (term.startsWith("_")) {
                int times = term.length() > 2 ? Integer.parseInt(term.substring(2)) : 1;
                for (int i = 0; i < times; i++) {
                    values.add(Double.NaN);
                }
                continue;
            }
            Matcher parts = TERM.matcher(term);
            if (!parts.matches()) {
                throw new IllegalArgumentException("not a value: " + term);
            }
            double first = number(parts.group(1));
            double more = parts.group(3) == null ? 0 : number(parts.group(3));
            int times = parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4));
            for (int i = 0; i <= times; i++) {
                values.add(first + ("-".equals(parts.group(2)) ? -i * more : i * more));
            }
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static double number(String text) {
        int scale = "KMG".indexOf(text.charAt(text.length() - 1));
        return scale < 0
                ? Double.parseDouble(text)
                : Double.parseDouble(text.substring(0, text.length() - 1)) * Math.pow(1024, scale + 1);
    }

    private static double seconds(String text) {
        return Double.parseDouble(text.substring(0, text.length() - 1));
    }

    private static double lasted(String text) {
        return text.equals("lost") ? Double.NaN : Double.parseDouble(text);
    }

    private static SourceKind source(String name) {
        return SourceKind.valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return rule() + "/" + file.getFileName();
    }
}
