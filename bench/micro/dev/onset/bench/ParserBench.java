package dev.onset.bench;

import dev.onset.signals.MetricDictionary;
import dev.onset.sources.exposition.Body;
import dev.onset.sources.exposition.Family;
import dev.onset.sources.exposition.LayoutParser;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One answer of a real mount read by our parser, and by others as a scale. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ParserBench {
    private static final Family ALL = (text, from, to) -> true;
    private static final int ANSWERS = 16;

    private final byte[][] answers = new byte[ANSWERS][];
    private final LayoutParser unchanged = new LayoutParser(MetricDictionary.STANDARD::knows);
    private final LayoutParser unchangedAll = new LayoutParser(ALL);
    private final Tokeniser tokeniser = new Tokeniser();
    private int next;

    @Setup
    public void setUp() throws IOException {
        Answers played = new Answers();
        for (int i = 0; i < ANSWERS; i++) {
            answers[i] = played.body(7, 600 + 15 * i);
        }
    }

    private byte[] next() {
        next = (next + 1) % ANSWERS;
        return answers[next];
    }

    /** Only numbers changed; what the dictionary knows is kept. */
    @Benchmark
    public double unchanged() {
        byte[] answer = next();
        return first(unchanged.read(answer, answer.length));
    }

    /** Only numbers changed; every sample is kept. */
    @Benchmark
    public double unchangedAll() {
        byte[] answer = next();
        return first(unchangedAll.read(answer, answer.length));
    }

    @Benchmark
    public double firstSight() {
        byte[] answer = next();
        return first(new LayoutParser(MetricDictionary.STANDARD::knows).read(answer, answer.length));
    }

    /** As most services do it: lines, strings, a map. */
    @Benchmark
    public Map<String, Double> naive() {
        Map<String, Double> values = new HashMap<>();
        for (String line : new String(next(), java.nio.charset.StandardCharsets.UTF_8).split("\n")) {
            if (!line.startsWith("#")) {
                int space = line.lastIndexOf(' ');
                values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
            }
        }
        return values;
    }

    /** Byte by byte, as Prometheus does it: every series and value found, no labels taken out. */
    @Benchmark
    public double tokeniser() {
        return tokeniser.read(next());
    }

    private static double first(Body body) {
        return body.value(0);
    }
}
