package dev.onset.sources.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.sources.Answer;
import dev.onset.sources.redis.DiscoveredClient;
import dev.onset.sources.redis.RealRedis;
import dev.onset.sources.scrape.ExporterTarget;
import dev.onset.sources.scrape.FakeExporter;
import dev.onset.sources.scrape.Scraper;
import dev.onset.sources.settings.ExporterSettings;
import dev.onset.sources.settings.GroupSettings;
import dev.onset.sources.settings.RedisSettings;
import dev.onset.sources.settings.SourceSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveSourcesTest {
    /** Shorter than the settings file allows, to see several. */
    private static final Duration STEP = Duration.ofMillis(1500);

    private static final Clock CLOCK = Clock.systemUTC();

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Answer> answers = new CopyOnWriteArrayList<>();
    private final List<Long> steps = new CopyOnWriteArrayList<>();
    private final List<Long> skews = new CopyOnWriteArrayList<>();
    private final List<Long> completedMillis = new CopyOnWriteArrayList<>();
    private final Set<Thread> callers = ConcurrentHashMap.newKeySet();

    @TempDir
    Path folder;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void every_step_brings_an_answer_of_every_target_and_is_then_complete() throws IOException {
        FakeExporter mount = exporter(FakeExporter.text("up 1\n"));
        FakeExporter node = exporter(FakeExporter.text("up 2\n"));
        RealRedis redis = with(new RealRedis(folder));

        LiveSources live = start(group(
                List.of(ExporterSettings.of(mount.address())),
                List.of(ExporterSettings.of(node.address())),
                List.of(RedisSettings.of(redis.url()))));
        await().until(() -> steps.size() >= 3);

        assertThat(callers).hasSize(1);
        assertThat(steps.subList(0, 3)).containsExactly(steps.get(0), steps.get(0) + 1, steps.get(0) + 2);
        long offset = new Group("imagenet", STEP.toMillis(), List.of()).offsetMillis;
        for (long step : steps.subList(0, 3)) {
            long instant = step * STEP.toMillis() + offset;
            List<Answer> ofStep = answers.stream()
                    .filter(answer -> answer.kind() == Answer.Kind.METRICS || answer.kind() == Answer.Kind.INFO)
                    .filter(answer -> Math.floorDiv(answer.atMillis(), STEP.toMillis()) == step)
                    .toList();
            assertThat(ofStep).hasSize(3).allSatisfy(answer -> {
                assertThat(answer.missing()).isNull();
                assertThat(answer.atMillis() - instant).isBetween(-5L, 700L);
            });
        }
        assertThat(live.skewsP99Millis().get("imagenet")).isBetween(0.0, 700.0);
        assertThat(live.targets()).hasSize(3).allSatisfy(state -> {
            assertThat(state.up()).isTrue();
            assertThat(state.asking().get().medianBytes()).isGreaterThan(0);
        });
        assertThat(answers.stream().map(Answer::kind).collect(Collectors.toSet()))
                .contains(
                        Answer.Kind.METRICS,
                        Answer.Kind.INFO,
                        Answer.Kind.LATENCY,
                        Answer.Kind.CONFIG,
                        Answer.Kind.PING);
    }

    @Test
    void hanging_targets_delay_one_step_within_its_bounds_and_then_none() throws IOException {
        FakeExporter good = exporter(FakeExporter.text("up 1\n"));
        FakeExporter hanging = exporter(FakeExporter.hang());
        FakeExporter dripping = exporter(FakeExporter.drip(100));
        ServerSocket silent = with(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));

        LiveSources live = start(group(
                List.of(ExporterSettings.of(good.address())),
                List.of(ExporterSettings.of(hanging.address()), ExporterSettings.of(dripping.address())),
                List.of(RedisSettings.of("redis://127.0.0.1:" + silent.getLocalPort()))));
        await().until(() -> steps.size() >= 3);

        for (int i = 0; i < 3; i++) {
            long after = completedMillis.get(i) - steps.get(i) * STEP.toMillis();
            assertThat(after).isLessThan(STEP.toMillis() + 500);
        }
        long offset = new Group("imagenet", STEP.toMillis(), List.of()).offsetMillis;
        assertThat(completedMillis.get(2) - steps.get(2) * STEP.toMillis() - offset)
                .isLessThan(STEP.toMillis() * 2 / 3);
        assertThat(answers)
                .filteredOn(answer -> answer.target().address().equals(good.address()))
                .hasSizeGreaterThanOrEqualTo(3)
                .allMatch(answer -> answer.missing() == null);
        assertThat(live.targets())
                .filteredOn(state -> !state.up())
                .hasSize(3)
                .allMatch(state -> state.missing() == Gap.TIMED_OUT);
        assertThat(hanging.requests().size()).isLessThanOrEqualTo(steps.size() + 1);
    }

    @Test
    void a_fault_in_the_receiver_is_survived() {
        FakeExporter good = exporter(FakeExporter.text("up 1\n"));
        LiveSources live = with(new LiveSources(
                settings(group(List.of(ExporterSettings.of(good.address())), List.of(), List.of())), CLOCK));
        live.start(
                answer -> {
                    throw new IllegalStateException("a fault, thrown by the test");
                },
                steps::add,
                skews::add);
        await().until(() -> steps.size() >= 2);
    }

    @Test
    void without_groups_the_usual_ports_are_watched_quietly() {
        LiveSources live = with(new LiveSources(new SourceSettings(STEP, 1, "./onset-data", List.of()), CLOCK));
        live.start(answers::add, steps::add, skews::add);
        await().until(() -> !steps.isEmpty());

        assertThat(answers).allMatch(answer -> answer.missing() == null);
        assertThat(live.targets()).allMatch(TargetState::up);
    }

    @Test
    void a_quiet_target_is_heard_from_its_first_answer_on() {
        Asked asked = new AskedExporter(
                ExporterTarget.of(SourceKind.NODE, "local", ExporterSettings.of("127.0.0.1:9100")),
                with(new Scraper(STEP, CLOCK)),
                false,
                true);
        asked.note(List.of(Answer.missing(asked.target, Answer.Kind.METRICS, 1, 0, Gap.TARGET_DOWN, "down")), 0);
        assertThat(asked.silent()).isTrue();
        asked.note(List.of(Answer.of(asked.target, Answer.Kind.METRICS, 2, 0, new byte[1])), 0);
        asked.note(List.of(Answer.missing(asked.target, Answer.Kind.METRICS, 3, 0, Gap.TARGET_DOWN, "down")), 0);

        assertThat(asked.silent()).isFalse();
        assertThat(asked.state().up()).isFalse();
        assertThat(asked.state().sinceMillis()).isEqualTo(3);
    }

    @Test
    void groups_are_spread_over_the_first_quarter_of_a_step_always_the_same_way() {
        List<Long> offsets = IntStream.range(0, 300)
                .mapToObj(i -> new Group("job-" + i, 15_000, List.of()).offsetMillis)
                .toList();

        assertThat(offsets).allMatch(offset -> offset >= 0 && offset < 3750);
        for (int fifth = 0; fifth < 5; fifth++) {
            long from = fifth * 750L;
            assertThat(offsets).filteredOn(o -> o >= from && o < from + 750).hasSizeGreaterThan(30);
        }
        assertThat(new Group("job-7", 15_000, List.of()).offsetMillis).isEqualTo(offsets.get(7));
    }

    @Test
    void discovered_clients_are_asked_unless_configured_or_not_a_mount_or_not_a_host() {
        Scraper scraper = with(new Scraper(STEP, CLOCK));
        Group group = new Group(
                "imagenet",
                15_000,
                List.of(
                        exporter(scraper, "gpu-07.cluster:9567", null),
                        exporter(scraper, "10.0.0.8:9567", null),
                        exporter(scraper, "10.9.9.9:9567", "gpu-09")));

        group.discovered(
                List.of(
                        client("gpu-07", "10.0.0.7", "/mnt/jfs"),
                        client("gpu-08", "10.0.0.8", "/mnt/jfs"),
                        client("gpu-09", "10.0.0.9", "/mnt/jfs"),
                        client("gpu-10", "10.0.0.10", "/mnt/jfs"),
                        client("gpu-10", "10.0.0.10", "/mnt/other"),
                        client("gw-1", "10.0.0.11", "s3gateway"),
                        client("evil/latest/meta-data", "10.0.0.12", "/mnt/jfs"),
                        client("me:secret@evil", "10.0.0.13", "/mnt/jfs")),
                scraper,
                new LocalHost());

        assertThat(group.all())
                .filteredOn(asked -> asked.discovered)
                .extracting(asked -> asked.target.address())
                .containsExactly("gpu-10:9567");
        assertThat(group.all()).filteredOn(asked -> asked.discovered).allMatch(Asked::silent);

        group.discovered(List.of(), scraper, new LocalHost());
        assertThat(group.all()).hasSize(3);
    }

    private Asked exporter(Scraper scraper, String address, @Nullable String host) {
        return new AskedExporter(
                ExporterTarget.of(SourceKind.JUICEFS, "imagenet", new ExporterSettings(address, host, false)),
                scraper,
                false,
                false);
    }

    private static DiscoveredClient client(String host, String address, String mountPoint) {
        return new DiscoveredClient(
                "imagenet", "meta:6379", "vol", "s3", host, List.of(address), mountPoint, "1.4.2", 1, "");
    }

    private LiveSources start(GroupSettings group) {
        LiveSources live = with(new LiveSources(settings(group), CLOCK));
        live.start(
                answer -> {
                    callers.add(Thread.currentThread());
                    answers.add(answer);
                },
                step -> {
                    callers.add(Thread.currentThread());
                    completedMillis.add(CLOCK.millis());
                    steps.add(step);
                },
                skews::add);
        return live;
    }

    private static SourceSettings settings(GroupSettings group) {
        return new SourceSettings(STEP, 1, "./onset-data", List.of(group));
    }

    private static GroupSettings group(
            List<ExporterSettings> juicefs, List<ExporterSettings> node, List<RedisSettings> redis) {
        return new GroupSettings("imagenet", juicefs, node, List.of(), List.of(), redis);
    }

    private FakeExporter exporter(FakeExporter.Behaviour behaviour) {
        return with(new FakeExporter(behaviour));
    }

    private <T extends AutoCloseable> T with(T closeable) {
        open.add(closeable);
        return closeable;
    }
}
