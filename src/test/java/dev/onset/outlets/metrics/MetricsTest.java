package dev.onset.outlets.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Example;
import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape.Missed;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private static final Scope HOST = Scope.host("vision", "gpu-07");
    private static final Health WELL = new Health(4, 1, 2, true, Map.of("quiet", 7, "unsure", 1));

    /** A sample line by the grammar of text 0.0.4, written from the format's description. */
    private static final Pattern LINE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{((?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\",?)*)\\})? (\\S+)");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void tells_its_own_health() {
        Metrics metrics = metrics(100);
        Target target = new Target(SourceKind.NODE, "vision", "gpu-07:9100", null);
        metrics.scraped(new Missed(target, true, 0, Gap.TIMED_OUT, Text.same("10 s")), Duration.ofSeconds(10));
        metrics.scraped(new Missed(target, true, 0, Gap.TIMED_OUT, Text.same("10 s")), Duration.ofSeconds(10));
        metrics.judged(Duration.ofMillis(3), Duration.ofMillis(1_200));
        metrics.refused("slack");
        metrics.ticked(Duration.ofMillis(5), new Step().skew("vision", 0.012).skew("speech", 0.2));

        assertThat(read())
                .containsEntry("onset_scrapes_total{outcome=\"timed_out\",source=\"node\"}", 2.0)
                .containsEntry("onset_scrape_seconds_sum{source=\"node\"}", 20.0)
                .containsEntry("onset_scrape_skew_seconds{group=\"vision\"}", 0.012)
                .containsEntry("onset_scrape_skew_worst_seconds", 0.2)
                .containsEntry("onset_judge_seconds_count", 1.0)
                .containsEntry("onset_judge_seconds_bucket{le=\"0.005\"}", 1.0)
                .containsEntry("onset_cycle_seconds_bucket{le=\"1.0\"}", 0.0)
                .containsEntry("onset_cycle_seconds_bucket{le=\"2.0\"}", 1.0)
                .containsEntry("onset_tick_seconds_count", 1.0)
                .containsEntry("onset_targets{state=\"up\"}", 4.0)
                .containsEntry("onset_targets{state=\"down\"}", 1.0)
                .containsEntry("onset_rules{answer=\"quiet\"}", 7.0)
                .containsEntry("onset_rules{answer=\"found\"}", 0.0)
                .containsEntry("onset_answers_waiting", 3.0)
                .containsEntry("onset_outbox_pending", 2.0)
                .containsEntry("onset_outbox_refused_total{receiver=\"slack\"}", 1.0)
                .containsEntry("onset_store_writable", 1.0);
    }

    @Test
    void shows_open_diagnoses_and_drops_them_when_they_are_gone() {
        Metrics metrics = metrics(100);
        metrics.ticked(
                Duration.ZERO,
                new Step()
                        .current(Example.diagnosis("d1").build())
                        .current(Example.diagnosis("d2").pending().build()));
        assertThat(read().keySet().stream().filter(name -> name.startsWith("onset_diagnosis_")))
                .hasSize(2)
                .allSatisfy(name -> assertThat(name).contains("severity=\"S2\"", "group=\"vision\"", "rule=\""));

        metrics.ticked(Duration.ZERO, new Step());
        assertThat(read().keySet()).noneMatch(name -> name.startsWith("onset_diagnosis_"));
    }

    @Test
    void a_gap_is_absent_and_never_zero() {
        metrics(100)
                .ticked(
                        Duration.ZERO,
                        new Step().value(Signal.CPU_BUSY, "", 0.25).value(Signal.DISK_QUEUE, "sda", Double.NaN));
        assertThat(read())
                .containsEntry(
                        "onset_signal{group=\"vision\",part=\"\",scope=\"gpu-07\",scope_kind=\"host\",signal=\"cpu_busy\"}",
                        0.25)
                .containsEntry("onset_timeline_series", 2.0);
        assertThat(read().keySet()).noneMatch(name -> name.contains("dev_q"));
    }

    @Test
    void hostile_names_are_escaped_and_clipped() {
        String hostile = "a\"b\\c\nd" + "x".repeat(10_000);
        metrics(100)
                .ticked(
                        Duration.ZERO,
                        new Step()
                                .value(Signal.DISK_QUEUE, hostile + "1", 1)
                                .value(Signal.DISK_QUEUE, hostile + "2", 2));
        assertThat(read().keySet().stream().filter(name -> name.startsWith("onset_signal")))
                .singleElement()
                .satisfies(name -> assertThat(name).contains("a\\\"b\\\\c\\nd").hasSizeLessThan(400));
    }

    @Test
    void the_number_of_series_is_bounded_by_what_matters_most_and_the_rest_counted() {
        Step step = new Step().current(Example.diagnosis("d1").build());
        IntStream.range(0, 500).forEach(part -> step.value(Signal.DISK_QUEUE, "disk" + part, part));
        metrics(40).ticked(Duration.ZERO, step);
        Map<String, Double> read = read();
        assertThat(read.keySet().stream().filter(name -> name.startsWith("onset_signal")))
                .hasSize(38)
                .anyMatch(name -> name.contains("disk0"))
                .anyMatch(name -> name.contains("disk37"));
        assertThat(read.keySet()).anyMatch(name -> name.startsWith("onset_diagnosis_active"));
        assertThat(read).containsEntry("onset_series_left_out", 462.0).containsEntry("onset_timeline_series", 500.0);
    }

    @Test
    void a_step_is_read_when_somebody_asks_and_only_once() {
        Metrics metrics = metrics(100);
        Step unread = new Step();
        metrics.ticked(Duration.ZERO, unread);
        Step step = new Step();
        metrics.ticked(Duration.ZERO, step);
        read();
        read();
        assertThat(unread.reads).isZero();
        assertThat(step.reads).isEqualTo(1);
    }

    @Test
    void of_more_groups_than_anyone_has_only_the_worst_skew_is_told() {
        Step step = new Step();
        IntStream.range(0, 500).forEach(group -> step.skew("group" + group, group / 1e3));
        metrics(100).ticked(Duration.ZERO, step);
        assertThat(read().keySet().stream().filter(name -> name.startsWith("onset_scrape_skew_seconds")))
                .hasSize(200);
        assertThat(read()).containsEntry("onset_scrape_skew_worst_seconds", 0.499);
    }

    /** A step with what a test puts into it. */
    private static final class Step implements LastStep {
        private final List<Diagnosis> current = new ArrayList<>();
        private final Map<String, Double> skews = new LinkedHashMap<>();
        private final List<Consumer<Taker>> values = new ArrayList<>();
        private int reads;

        Step current(Diagnosis diagnosis) {
            current.add(diagnosis);
            return this;
        }

        Step skew(String group, double seconds) {
            skews.put(group, seconds);
            return this;
        }

        Step value(Signal signal, String part, double value) {
            values.add(taker -> taker.take(HOST, signal, part, value));
            return this;
        }

        @Override
        public Health health() {
            return WELL;
        }

        @Override
        public int waiting() {
            return 3;
        }

        @Override
        public List<Diagnosis> current() {
            return current;
        }

        @Override
        public Map<String, Double> skews() {
            return skews;
        }

        @Override
        public void values(Taker taker) {
            reads++;
            values.forEach(value -> value.accept(taker));
        }
    }

    private Metrics metrics(int most) {
        return new Metrics(registry, registry.getPrometheusRegistry(), new MetricsSettings(most, true));
    }

    /** Every line must be a comment or a sample, and every sample stand once. */
    private Map<String, Double> read() {
        Map<String, Double> samples = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        for (String line : registry.scrape().lines().toList()) {
            Matcher sample = LINE.matcher(line);
            if (line.startsWith("#")) {
                continue;
            }
            if (!sample.matches()) {
                wrong.add(line);
            } else if (samples.put(line.substring(0, line.lastIndexOf(' ')), Double.valueOf(sample.group(4))) != null) {
                wrong.add("twice: " + line);
            }
        }
        assertThat(wrong).isEmpty();
        return samples;
    }
}
