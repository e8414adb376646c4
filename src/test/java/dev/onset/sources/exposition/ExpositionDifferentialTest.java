package dev.onset.sources.exposition;

import static dev.onset.sources.exposition.Bodies.parse;
import static dev.onset.sources.exposition.Bodies.recorded;
import static dev.onset.sources.exposition.Bodies.shown;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import io.prometheus.client.Summary;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The parser against a writer and a reader that share no line of code with it. */
class ExpositionDifferentialTest {
    @Test
    void reads_what_the_prometheus_client_writes_as_text() throws IOException {
        CollectorRegistry registry = registry();
        StringWriter body = new StringWriter();
        TextFormat.write004(body, registry.metricFamilySamples());

        assertReads(registry, body.toString());
    }

    @Test
    void reads_what_the_prometheus_client_writes_as_open_metrics() throws IOException {
        CollectorRegistry registry = registry();
        StringWriter body = new StringWriter();
        TextFormat.writeOpenMetrics100(body, registry.metricFamilySamples());

        assertTrue(body.toString().contains(" # {trace_id="), "an exemplar is among them");
        assertReads(registry, body.toString());
    }

    @Test
    void reads_recorded_bodies_like_the_naive_reader() {
        Exposition juicefs = assertSameAsNaive(recorded("juicefs.txt.gz"));
        Exposition node = assertSameAsNaive(recorded("node.txt.gz"));

        assertEquals(0, juicefs.faultyLines() + node.faultyLines());
        assertEquals(499, juicefs.samples().size());
        assertTrue(node.samples().size() > 500);
    }

    @Test
    void reads_mutated_bodies_like_the_naive_reader() {
        Random random = new Random(20260816);
        int faulty = 0;
        int duplicates = 0;
        for (String name : List.of("juicefs.txt.gz", "node.txt.gz")) {
            List<String> lines = List.of(new String(recorded(name), UTF_8).split("\n"));
            for (int round = 0; round < 250; round++) {
                Exposition read = assertSameAsNaive(Mutations.some(Mutations.stretch(lines, random), random));
                faulty += read.faultyLines();
                duplicates += read.duplicates();
            }
        }
        assertTrue(faulty > 100 && duplicates > 100, faulty + " faulty, " + duplicates + " repeated");
    }

    @Test
    void a_body_cut_anywhere_gives_the_lines_before_the_cut() {
        byte[] body = (new String(recorded("juicefs.txt.gz"), UTF_8)
                                .lines()
                                .skip(300)
                                .limit(12)
                                .reduce("", (a, b) -> a + b + "\n")
                        + "a{b=\"路\\\"径\"} 1.5e3 1796073199.5 # {c=\"d\"} 1\n# EOF\n")
                .getBytes(UTF_8);
        List<String> whole = shown(parse(body).samples());
        for (int length = 0; length < body.length; length++) {
            Exposition cut = parse(Arrays.copyOf(body, length));
            int complete = cut.samples().size() - 1;

            assertTrue(cut.faultyLines() <= 1);
            assertTrue(complete < 0 || shown(cut.samples()).subList(0, complete).equals(whole.subList(0, complete)));
        }
    }

    @Test
    void random_bytes_never_throw_and_never_change_the_meaning_of_another_line() {
        Random random = new Random(4711);
        byte[] recorded = recorded("juicefs.txt.gz");
        for (int round = 0; round < 400; round++) {
            int from = random.nextInt(recorded.length - 6000);
            byte[] body = Arrays.copyOfRange(recorded, from, from + 6000);
            Mutations.noise(body, random);

            Exposition read = parse(body);

            assertEquals(lineByLine(body), shown(read.samples()));
        }
    }

    private static List<String> lineByLine(byte[] body) {
        List<String> samples = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        int from = 0;
        for (int at = 0; at <= body.length; at++) {
            if (at == body.length || body[at] == '\n') {
                for (ExposedSample sample :
                        parse(Arrays.copyOfRange(body, from, at)).samples()) {
                    if (seen.add(List.of(sample.name(), Set.copyOf(pairs(sample.labels()))))) {
                        samples.add(shown(sample));
                    }
                }
                from = at + 1;
            }
        }
        return samples;
    }

    private static List<List<String>> pairs(Labels labels) {
        List<List<String>> pairs = new ArrayList<>();
        for (int i = 0; i < labels.pairs().size(); i += 2) {
            pairs.add(labels.pairs().subList(i, i + 2));
        }
        return pairs;
    }

    private static Exposition assertSameAsNaive(byte[] body) {
        NaiveReader naive = new NaiveReader(body);
        Exposition read = parse(body);

        assertEquals(naive.samples.size(), read.samples().size());
        for (int i = 0; i < naive.samples.size(); i++) {
            assertEquals(naive.samples.get(i), read.samples().get(i));
        }
        assertEquals(naive.duplicates, read.duplicates());
        assertEquals(naive.faultyLines.size(), read.faultyLines());
        return read;
    }

    private static void assertReads(CollectorRegistry registry, String body) {
        Exposition read = parse(body);

        assertEquals(List.of(), read.faults());
        assertEquals(
                Collections.list(registry.metricFamilySamples()).stream()
                        .flatMap(family -> family.samples.stream())
                        .map(ExpositionDifferentialTest::shownAsOurs)
                        .sorted()
                        .toList(),
                shown(read.samples()).stream().sorted().toList());
    }

    private static String shownAsOurs(Collector.MetricFamilySamples.Sample sample) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < sample.labelNames.size(); i++) {
            pairs.add(sample.labelNames.get(i));
            pairs.add(sample.labelValues.get(i));
        }
        long stamp = sample.timestampMs == null ? ExposedSample.NO_TIMESTAMP : sample.timestampMs;
        return shown(new ExposedSample(sample.name, new Labels(pairs), sample.value, stamp, 0));
    }

    private static CollectorRegistry registry() {
        CollectorRegistry registry = new CollectorRegistry();
        Counter counter = Counter.build("reads", "help \\ \n \"quoted\"")
                .labelNames("mp", "method")
                .register(registry);
        Gauge gauge = Gauge.build("bytes", "a gauge").labelNames("mp").register(registry);
        Summary summary =
                Summary.build("wait", "s").quantile(0.5, 0.05).labelNames("mp").register(registry);
        Histogram histogram = Histogram.build("took", "h")
                .buckets(0.001, 1, 2.5, 10)
                .labelNames("mp")
                .register(registry);
        Random random = new Random(3);
        for (String odd : List.of(
                "", " ", "/mnt/jfs", "a\"b", "a\\b", "a\\", "a\nb", "\\n", "{x=\"y\"}", "路径 🚀", "\t\r#", "a,b")) {
            counter.labels(odd, "read").incWithExemplar(random.nextInt(1000), "trace_id", "t\"1\\");
            gauge.labels(odd).set(Double.longBitsToDouble(random.nextLong()));
            summary.labels(odd).observe(random.nextDouble());
            histogram.labels(odd).observe(random.nextDouble() * 12);
        }
        Stream.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0.0, -0.0, Double.MIN_VALUE, 1e300)
                .forEach(value -> gauge.labels("value " + value).set(value));
        registry.register(stamped());
        return registry;
    }

    private static Collector stamped() {
        return new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                List<MetricFamilySamples.Sample> samples = new ArrayList<>();
                for (long stamp : new long[] {0, 1, 1000, 1796073199295L, 1796073199000L}) {
                    samples.add(new MetricFamilySamples.Sample(
                            "stamped", List.of("at"), List.of("" + stamp), stamp / 7.0, stamp));
                }
                return List.of(new MetricFamilySamples("stamped", Type.GAUGE, "own times", samples));
            }
        };
    }
}
