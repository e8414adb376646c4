package dev.onset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Distribution;
import dev.onset.signals.Fault;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.AnswerReader;
import dev.onset.timeline.Series;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What exporters really sent to others, from the answer's bytes to the series that rules see. */
class FieldReportsTest {
    private static final TimeAxis AXIS = new TimeAxis(15_000);
    private static final long START = 1_796_000_400_000L;
    private static final Target MOUNT = new Target(SourceKind.JUICEFS, "vision", "10.0.0.7:9567", null);
    private static final Target NODE = new Target(SourceKind.NODE, "vision", "gpu-07.cluster:9100", null);
    private static final Target GPU = new Target(SourceKind.ACCELERATOR, "vision", "10.0.0.7:9400", null);

    private final AnswerReader reader = new AnswerReader(MetricDictionary.STANDARD);
    private final Timeline timeline = Timeline.of(AXIS, 1);
    private int step;

    /** A busy device that answers with four billion per cent now and then, and a partitioned one that only knows a ratio. */
    @Test
    void impossible_utilisation_is_dropped_and_counted_and_a_partition_s_ratio_is_used() {
        for (String busy : List.of("97", "4294967295", "96", "153000", "97")) {
            tick(GPU, """
                    DCGM_FI_DEV_GPU_UTIL{gpu="0",Hostname="node-a"} %s
                    DCGM_FI_DEV_GPU_UTIL{gpu="1",Hostname="node-a"} 0
                    DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="1",Hostname="node-a"} 0.93
                    """.formatted(busy));
        }
        Series use = timeline.window(Scope.job("vision")).series(Signal.UTILISATION);
        assertThat(cells(use)).containsExactly(0.95, 0.93, 0.945, 0.93, 0.95);
        Series first = timeline.window(Scope.job("vision")).series(Signal.ACCELERATOR_USE, "node-a/0");
        assertThat(first.present(1)).isFalse();
        assertThat(faults(GPU)).isEmpty();
        tick(GPU, "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",Hostname=\"node-a\"} 4294967295\n");
        assertThat(faults(GPU))
                .extracting(fault -> fault.reason().en())
                .containsExactly("1 samples outside their possible range were ignored");
    }

    /** An old client labels the buckets by method, a new one does not: neither is counted twice. */
    @Test
    void a_histogram_with_and_without_a_method_label_is_the_same_histogram() {
        String old = """
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="a",mp="/jfs",vol_name="v",method="read",le="0.001"} %1$d
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="a",mp="/jfs",vol_name="v",method="read",le="+Inf"} %2$d
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="a",mp="/jfs",vol_name="v",method="write",le="0.001"} %1$d
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="a",mp="/jfs",vol_name="v",method="write",le="+Inf"} %2$d
                juicefs_fuse_ops_durations_histogram_seconds_sum{instance="a",mp="/jfs",vol_name="v",method="read"} 3
                juicefs_fuse_ops_durations_histogram_seconds_sum{instance="a",mp="/jfs",vol_name="v",method="write"} 4
                """;
        String young = """
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="b",mp="/jfs",vol_name="v",juicefs_version="1.4.2",le="0.001"} %1$d
                juicefs_fuse_ops_durations_histogram_seconds_bucket{instance="b",mp="/jfs",vol_name="v",juicefs_version="1.4.2",le="+Inf"} %2$d
                juicefs_fuse_ops_durations_histogram_seconds_sum{instance="b",mp="/jfs",vol_name="v",juicefs_version="1.4.2"} 7
                juicefs_fuse_ops_total{instance="b",mp="/jfs",vol_name="v",juicefs_version="1.4.2",method="read"} 5
                juicefs_fuse_ops_total{instance="b",mp="/jfs",vol_name="v",juicefs_version="1.4.2",method="write"} 9
                """;
        Scrape.Scraped labelled = read(MOUNT, old.formatted(10, 15));
        Scrape.Scraped plain = read(MOUNT, young.formatted(20, 30));
        assertThat(counts(labelled)).containsExactly(20, 30);
        assertThat(counts(plain)).containsExactly(20, 30);
        assertThat(value(labelled, Signal.FUSE_SECONDS)).isEqualTo(7);
        assertThat(value(plain, Signal.FUSE_SECONDS)).isEqualTo(7);
        assertThat(value(plain, Signal.READS)).as("reads only").isEqualTo(5);
        assertThat(labelled.samples())
                .as("before 1.2 there is no such counter")
                .noneMatch(s -> s.signal() == Signal.READS);
    }

    @Test
    void absent_is_zero_where_the_version_counts_and_absent_where_it_does_not() {
        String body = "juicefs_blockcache_hits{instance=\"a\",mp=\"/jfs\",vol_name=\"v\",juicefs_version=\"%s\"} 1\n";
        Scrape.Scraped young = read(MOUNT, body.formatted("1.4.2"));
        assertThat(value(young, Signal.GETS)).isZero();
        assertThat(value(young, Signal.IO_ERRORS)).isZero();
        Scrape.Scraped old = read(MOUNT, body.formatted("1.0.4"));
        assertThat(value(old, Signal.GETS)).isZero();
        assertThat(old.samples()).noneMatch(sample -> sample.signal() == Signal.IO_ERRORS);
    }

    /** The first increment after a series appeared is a rate, not lost. */
    @Test
    void the_first_request_after_a_start_counts() {
        tick(MOUNT, "juicefs_uptime{instance=\"a\",mp=\"/jfs\",vol_name=\"v\",juicefs_version=\"1.4.2\"} 900\n");
        tick(MOUNT, """
                juicefs_uptime{instance="a",mp="/jfs",vol_name="v",juicefs_version="1.4.2"} 915
                juicefs_object_request_durations_histogram_seconds_count{instance="a",mp="/jfs",vol_name="v",juicefs_version="1.4.2",method="GET",storage_class=""} 30
                """);
        Scope mount = timeline.scopes(ScopeKind.MOUNT).get(0);
        assertThat(timeline.window(mount).series(Signal.GETS).at(1)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "instance=\"gpu-07\"",
                "instance=\"gpu-07:9567\"",
                "instance=\"GPU-07.cluster\"",
                "instance=\"10.0.0.7:9567\",exported_instance=\"gpu-07\""
            })
    void a_mount_joins_its_host_by_name_with_and_without_port(String labels) {
        tick(NODE, "node_uname_info{nodename=\"gpu-07.cluster\"} 1\nnode_time_seconds 1796000400\n");
        // A second host, so that it is the name that joins.
        tick(
                new Target(SourceKind.NODE, "vision", "gpu-08.cluster:9100", null),
                "node_uname_info{nodename=\"gpu-08\"} 1\nnode_time_seconds 1796000400\n");
        tick(MOUNT, "juicefs_uptime{" + labels + ",mp=\"/jfs\",vol_name=\"v\"} 900\n");
        Scope mount = timeline.scopes(ScopeKind.MOUNT).get(0);
        assertThat(timeline.window(mount).connected(ScopeKind.HOST)).containsExactly(Scope.host("vision", "gpu-07"));
    }

    @Test
    void a_custom_instance_label_joins_by_the_host_that_the_settings_state() {
        Target stated = new Target(SourceKind.JUICEFS, "vision", "10.0.0.7:9567", "gpu-07");
        tick(NODE, "node_uname_info{nodename=\"gpu-07\"} 1\nnode_time_seconds 1796000400\n");
        tick(
                new Target(SourceKind.NODE, "vision", "gpu-08:9100", null),
                "node_uname_info{nodename=\"gpu-08\"} 1\nnode_time_seconds 1796000400\n");
        tick(stated, "juicefs_uptime{instance=\"foo\",mp=\"/jfs\",vol_name=\"v\"} 900\n");
        Scope mount = timeline.scopes(ScopeKind.MOUNT).get(0);
        assertThat(timeline.window(mount).connected(ScopeKind.HOST)).containsExactly(Scope.host("vision", "gpu-07"));
    }

    private void tick(Target target, String body) {
        timeline.accept(read(target, body));
        timeline.close(AXIS.step(START) + step++);
    }

    private Scrape.Scraped read(Target target, String body) {
        long at = START + step * AXIS.stepMillis() + 1_000;
        return (Scrape.Scraped) reader.read(Answer.of(target, Answer.Kind.METRICS, at, 0.01, body.getBytes(UTF_8)));
    }

    private List<Fault> faults(Target target) {
        return timeline.targets().stream()
                .filter(status -> status.target().equals(target))
                .map(Timeline.TargetStatus::faults)
                .findFirst()
                .orElseThrow();
    }

    private static double[] cells(Series series) {
        double[] cells = new double[series.size()];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = Math.round(series.at(i) * 1e6) / 1e6;
        }
        return cells;
    }

    private static double[] counts(Scrape.Scraped scraped) {
        return scraped.distributions().stream()
                .filter(distribution -> distribution.signal() == Signal.FUSE_DURATION)
                .map(Distribution::counts)
                .findFirst()
                .orElseThrow();
    }

    private static double value(Scrape.Scraped scraped, Signal signal) {
        return scraped.samples().stream()
                .filter(sample -> sample.signal() == signal)
                .mapToDouble(Sample::value)
                .findFirst()
                .orElseThrow();
    }
}
