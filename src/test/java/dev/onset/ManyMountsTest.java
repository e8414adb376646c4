package dev.onset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.onset.diagnoses.CurrentDiagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Example;
import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.outlets.api.Changes;
import dev.onset.outlets.api.Status;
import dev.onset.outlets.api.Watched;
import dev.onset.outlets.metrics.Metrics;
import dev.onset.outlets.metrics.MetricsSettings;
import dev.onset.signals.Bounds;
import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.live.LiveSources;
import dev.onset.sources.settings.ExporterSettings;
import dev.onset.sources.settings.GroupSettings;
import dev.onset.sources.settings.MappingSettings;
import dev.onset.sources.settings.SourceSettings;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand mounts in a hundred jobs, one in a hundred silent: what pages and Prometheus ask stays small and quick. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class ManyMountsTest {
    private static final int MOUNTS = 10_000;
    private static final int JOBS = 100;
    private static final int MOST_SERIES = 3_000;
    private static final long STEP = Duration.ofMinutes(1).toMillis();
    private static final long FIRST = Example.OPENED / STEP;
    private static final byte[] BODY = """
            juicefs_uptime{vol_name="imagenet",mp="/mnt/jfs",juicefs_version="1.4.2"} 4711
            juicefs_memory{vol_name="imagenet",mp="/mnt/jfs",juicefs_version="1.4.2"} 3.1e+08
            juicefs_blockcache_miss_bytes{vol_name="imagenet",mp="/mnt/jfs",juicefs_version="1.4.2"} 5e+09
            """.getBytes(UTF_8);

    private final Clock clock = Clock.fixed(Instant.ofEpochMilli((FIRST + 2) * STEP), ZoneOffset.UTC);
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<Target> targets = new ArrayList<>();
    private final SqliteStore store;
    private final LiveSources sources;
    private final Loop loop;

    ManyMountsTest(@TempDir Path folder) {
        List<GroupSettings> groups = new ArrayList<>();
        for (int job = 0; job < JOBS; job++) {
            List<ExporterSettings> mounts = new ArrayList<>();
            for (int i = job; i < MOUNTS; i += JOBS) {
                String address = "10.0.%d.%d:9567".formatted(i / 250, i % 250);
                mounts.add(new ExporterSettings(address, host(i), false));
                targets.add(new Target(SourceKind.JUICEFS, "job-" + job, address, host(i)));
            }
            groups.add(new GroupSettings("job-" + job, mounts, List.of(), List.of(), List.of(), List.of()));
        }
        SourceSettings settings = new SourceSettings(Duration.ofMillis(STEP), 1, folder.toString(), groups);
        store = SqliteStore.open(folder.resolve("onset.db"), List.of(), clock);
        Diagnosis open = Example.diagnosis("d1").at(mount(4711)).build();
        store.diagnoses().keep(List.of(open), List.of());
        sources = new LiveSources(settings, clock);
        loop = new Loop(
                settings,
                new MappingSettings(List.of()).dictionary(),
                Bounds.USUAL,
                sources,
                new CurrentDiagnoses(store.diagnoses()),
                store.outbox(),
                new Changes(),
                new Metrics(registry, registry.getPrometheusRegistry(), new MetricsSettings(MOST_SERIES, true)),
                clock,
                null);
    }

    @BeforeAll
    void watch() {
        for (long step = FIRST; step < FIRST + 2; step++) {
            for (int i = 0; i < targets.size(); i++) {
                Target target = targets.get(i);
                long at = step * STEP + 1_000;
                loop.take(
                        i % 100 == 0
                                ? Answer.missing(target, Answer.Kind.METRICS, at, 0.01, Gap.TARGET_DOWN, "refused")
                                : Answer.of(target, Answer.Kind.METRICS, at, 0.01, BODY));
            }
            loop.complete(step);
        }
    }

    @AfterAll
    void close() {
        sources.close();
        store.close();
    }

    @Test
    void the_status_says_how_many_and_names_a_few() {
        Status status = loop.status();
        assertThat(status.counts().mounts()).isEqualTo(MOUNTS - MOUNTS / 100);
        assertThat(status.targetCounts().all()).isEqualTo(MOUNTS);
        assertThat(status.targets()).hasSize(Status.MOST_TARGETS);
        assertThat(status.scopes()).hasSize(Status.MOST_SCOPES);
        assertThat(status.cannotJudge()).isNotEmpty().hasSizeLessThan(60).anySatisfy(rule -> assertThat(rule.scopes())
                .isGreaterThan(MOUNTS / 2));
    }

    @Test
    void lists_every_target_and_every_scope_in_a_stable_order() {
        assertThat(loop.targets()).hasSize(MOUNTS).isSortedAccordingTo(Status.TargetState.BY_NAME);
        assertThat(loop.scopes()).contains(mount(4711)).isSortedAccordingTo(Watched.BY_NAME);
    }

    /** It took two seconds each, in which no answer could be taken in. */
    @Test
    void a_hundred_open_pages_ask_for_the_status_within_a_second() {
        loop.status();
        long began = System.nanoTime();
        for (int page = 0; page < 100; page++) {
            assertThat(loop.status().rules()).isPositive();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void pages_are_answered_while_the_tick_is_busy() throws Exception {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<Void> busy = CompletableFuture.supplyAsync(() -> loop.look(() -> {
            begun.complete(null);
            return goOn.join();
        }));
        begun.get(10, TimeUnit.SECONDS);
        CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> {
            loop.status();
            loop.targets();
            loop.scopes();
        });
        assertThatCode(() -> asked.get(20, TimeUnit.SECONDS)).doesNotThrowAnyException();
        assertThat(busy).isNotDone();
        goOn.complete(null);
        busy.get(10, TimeUnit.SECONDS);
    }

    @Test
    void the_metrics_show_what_has_an_incident_before_the_rest() {
        List<String> lines = registry.scrape().lines().toList();
        assertThat(lines.stream()
                        .filter(line -> line.startsWith("onset_signal{") || line.startsWith("onset_diagnosis")))
                .hasSize(MOST_SERIES)
                .anyMatch(line -> line.contains("scope=\"" + mount(4711).id() + "\""));
        assertThat(lines.stream().filter(line -> line.startsWith("onset_series_left_out")))
                .singleElement()
                .satisfies(line -> assertThat(Double.parseDouble(line.substring(line.indexOf(' '))))
                        .isGreaterThan(MOUNTS));
    }

    @Test
    void a_series_of_a_mount_is_found_with_those_of_what_it_depends_on() {
        Optional<dev.onset.diagnoses.Evidence> found = loop.timeline(
                mount(4711), List.of(Signal.CLIENT_MEMORY, Signal.DISK_QUEUE), FIRST * STEP, (FIRST + 2) * STEP);
        assertThat(found).isPresent();
        assertThat(found.orElseThrow().lanes()).hasSize(1);
        assertThat(loop.timeline(Scope.job("none"), List.of(), FIRST * STEP, (FIRST + 2) * STEP))
                .isEmpty();
    }

    private static String host(int i) {
        return "gpu-" + i;
    }

    private static Scope mount(int i) {
        return Scope.mount("job-" + i % JOBS, "imagenet", host(i), "/mnt/jfs");
    }
}
