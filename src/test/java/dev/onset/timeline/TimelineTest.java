package dev.onset.timeline;

import static dev.onset.signals.Signal.CACHED_BYTES;
import static dev.onset.signals.Signal.HITS;
import static dev.onset.signals.Signal.HIT_BYTES;
import static dev.onset.signals.Signal.META_OPS;
import static dev.onset.signals.Signal.MISS_BYTES;
import static dev.onset.signals.Signal.MISS_RATIO;
import static dev.onset.signals.Signal.PROCESS_START;
import static dev.onset.signals.Signal.READ_COST;
import static dev.onset.signals.Signal.UPTIME;
import static dev.onset.timeline.Feed.FIRST;
import static dev.onset.timeline.Feed.MOUNT;
import static dev.onset.timeline.Feed.MOUNT_TARGET;
import static dev.onset.timeline.Feed.REDIS;
import static dev.onset.timeline.Feed.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimelineTest {
    private static final double NONE = Double.NaN;

    private final Feed feed = new Feed();

    @Test
    void a_rate_is_divided_by_the_time_between_the_samples_not_by_the_step() {
        feed.mount(at(0, 1), MISS_BYTES, 0).close(0);
        feed.mount(at(1, 6), MISS_BYTES, 2000).close(1);
        feed.mount(at(2, 1), MISS_BYTES, 3000).close(2);
        assertThat(feed.cells(MISS_BYTES)).containsExactly(NONE, 100, 100);
        assertThat(feed.gap(MISS_BYTES, 0)).isEqualTo(Gap.NOT_SCRAPED_YET);
        Series series = feed.window(MOUNT).series(MISS_BYTES);
        assertThat(series.fromMillis(1)).isEqualTo(at(0, 1));
        assertThat(series.toMillis(1)).isEqualTo(at(1, 6));
    }

    @Test
    void one_missed_answer_is_a_gap_and_the_next_rate_spans_it() {
        feed.mount(at(0, 1), MISS_BYTES, 0).close(0);
        feed.missed(MOUNT_TARGET, at(1, 1), Gap.TIMED_OUT).close(1);
        feed.mount(at(2, 1), MISS_BYTES, 3000).close(2);
        assertThat(feed.cells(MISS_BYTES)).containsExactly(NONE, NONE, 100);
        assertThat(feed.gap(MISS_BYTES, 1)).isEqualTo(Gap.TIMED_OUT);
    }

    @Test
    void beyond_two_and_a_half_steps_the_sample_before_is_stale() {
        feed.mount(at(0, 1), MISS_BYTES, 0).close(0);
        feed.close(1).close(2);
        feed.mount(at(3, 1), MISS_BYTES, 4500).close(3);
        feed.mount(at(4, 1), MISS_BYTES, 6000).close(4);
        assertThat(feed.cells(MISS_BYTES)).containsExactly(NONE, NONE, NONE, NONE, 100);
        assertThat(feed.gap(MISS_BYTES, 3)).isEqualTo(Gap.STALE);
    }

    /** A benchmark once printed minus nine operations, because the mount had been restarted between two readings. */
    @Test
    void a_restart_is_a_gap_for_every_counter_never_negative_and_never_a_spike() {
        feed.mount(at(0, 1), META_OPS, 4700, HITS, 10, UPTIME, 86_385).close(0);
        feed.mount(at(1, 1), META_OPS, 5009, HITS, 25, UPTIME, 86_400).close(1);
        feed.mount(at(2, 1), META_OPS, 5000, HITS, 9_000, UPTIME, 12).close(2);
        feed.mount(at(3, 1), META_OPS, 5150, HITS, 9_015, UPTIME, 27).close(3);
        assertThat(feed.cells(META_OPS))
                .usingComparatorWithPrecision(1e-4 * 20)
                .containsExactly(NONE, 309 / 15.0, NONE, 10);
        // Hits happened to grow across the restart: that growth is no rate either.
        assertThat(feed.cells(HITS)).containsExactly(NONE, 1, NONE, 1);
        assertThat(feed.gap(META_OPS, 2)).isEqualTo(Gap.RESET);
        assertThat(feed.gap(HITS, 2)).isEqualTo(Gap.RESET);
        assertThat(masked(Mask.RESTART)).containsExactly(false, false, true, true);
    }

    @Test
    void a_process_that_started_later_is_a_restart_as_well() {
        feed.mount(at(0, 1), HITS, 10, PROCESS_START, 1_796_000_000).close(0);
        feed.mount(at(1, 1), HITS, 25, PROCESS_START, 1_796_000_412).close(1);
        assertThat(feed.gap(HITS, 1)).isEqualTo(Gap.RESET);
    }

    private List<String> faults() {
        return feed.timeline.targets().stream()
                .flatMap(target -> target.faults().stream())
                .map(fault -> fault.reason().en())
                .toList();
    }

    @Test
    void two_processes_that_answer_in_turn_are_named_and_nothing_is_counted_between_them() {
        for (int step = 0; step < 5; step++) {
            boolean older = step % 2 == 0;
            feed.mount(at(step, 1), HITS, older ? 10 : 7_000, PROCESS_START, older ? 1_795_000_000 : 1_796_000_000)
                    .close(step);
            assertThat(faults()).hasSize(step < 4 ? 0 : 1);
        }
        assertThat(faults().get(0))
                .isEqualTo("two processes answer in turn here, started 1000000 s apart;"
                        + " nothing is counted across a change between them");
        assertThat(feed.cells(HITS)).containsOnly(NONE);
        for (int step = 5; step < 30; step++) {
            feed.mount(at(step, 1), HITS, 10, PROCESS_START, 1_795_000_000).close(step);
        }
        assertThat(faults()).isEmpty();
    }

    @Test
    void two_processes_in_turn_are_told_by_their_ages_alone() {
        for (int step = 0; step < 5; step++) {
            feed.mount(at(step, 1), HITS, 7_000, UPTIME, 15 * step + (step % 2 == 0 ? 9_000 : 40))
                    .close(step);
        }
        assertThat(faults()).hasSize(1);
    }

    @Test
    void a_clock_that_is_set_back_once_and_restarts_are_not_two_processes() {
        double[] starts = {1_795_000_000, 1_794_999_000, 1_794_999_000, 1_795_000_500, 1_795_000_900};
        for (int step = 0; step < starts.length; step++) {
            feed.mount(at(step, 1), HITS, 10, PROCESS_START, starts[step]).close(step);
        }
        assertThat(faults()).isEmpty();
    }

    private List<Signal> fallen() {
        return feed.timeline.targets().stream()
                .flatMap(target -> target.fallen().stream())
                .toList();
    }

    @Test
    void a_counter_that_falls_alone_is_bad_data_of_its_own() {
        feed.mount(at(0, 1), META_OPS, 5009, HITS, 10, UPTIME, 86_400).close(0);
        feed.mount(at(1, 1), META_OPS, 5000, HITS, 25, UPTIME, 86_415).close(1);
        assertThat(fallen()).containsExactly(META_OPS);
        feed.mount(at(2, 1), META_OPS, 5150, HITS, 40, UPTIME, 86_430).close(2);
        assertThat(fallen()).isEmpty();
        assertThat(feed.cells(META_OPS)).containsExactly(NONE, NONE, 10);
        assertThat(feed.gap(META_OPS, 1)).isEqualTo(Gap.RESET);
        assertThat(feed.cells(HITS)).containsExactly(NONE, 1, 1);
        assertThat(masked(Mask.RESTART)).containsExactly(false, false, false);
    }

    @ParameterizedTest
    @EnumSource(
            value = Gap.class,
            names = {"TARGET_DOWN", "TIMED_OUT", "BAD_ANSWER", "REFUSED"})
    void a_dead_target_leaves_gaps_with_its_reason(Gap reason) {
        feed.mount(at(0, 1), CACHED_BYTES, 5).close(0);
        feed.missed(MOUNT_TARGET, at(1, 1), reason).close(1);
        assertThat(feed.cells(CACHED_BYTES)).containsExactly(5, NONE);
        assertThat(feed.gap(CACHED_BYTES, 1)).isEqualTo(reason);
        assertThat(masked(Mask.GAP)).containsExactly(false, true);
        assertThat(feed.timeline.targets())
                .filteredOn(target -> target.target().equals(MOUNT_TARGET))
                .singleElement()
                .satisfies(target -> {
                    assertThat(target.up()).isFalse();
                    assertThat(target.missedInRow()).isEqualTo(1);
                });
    }

    @Test
    void a_series_that_an_answering_target_leaves_out_is_not_exported() {
        feed.mount(at(0, 1), CACHED_BYTES, 5, HITS, 1).close(0);
        feed.mount(at(1, 1), HITS, 2).close(1);
        assertThat(feed.gap(CACHED_BYTES, 1)).isEqualTo(Gap.NOT_EXPORTED);
    }

    @Test
    void an_answer_for_a_closed_step_changes_nothing() {
        feed.mount(at(0, 1), HITS, 0).close(0);
        feed.close(1);
        feed.mount(at(1, 14), HITS, 9_999);
        feed.mount(at(2, 1), HITS, 30).close(2);
        assertThat(feed.cells(HITS)).containsExactly(NONE, NONE, 1);
    }

    @Test
    void a_second_answer_in_a_step_changes_nothing() {
        feed.mount(at(0, 1), HITS, 0).close(0);
        feed.mount(at(1, 1), HITS, 15);
        feed.mount(at(1, 9), HITS, 9_999).close(1);
        assertThat(feed.cells(HITS)).containsExactly(NONE, 1);
    }

    @Test
    void two_targets_with_the_same_series_do_not_mix() {
        Target twin = new Target(SourceKind.JUICEFS, "vision", "10.0.0.7:9567", null);
        Identity same = new Identity(MOUNT, "gpu-01", "imagenet", "/mnt/jfs", null);
        for (int step = 0; step < 3; step++) {
            feed.mount(at(step, 1), HITS, 15 * step);
            feed.timeline.accept(new Scrape.Scraped(
                    twin,
                    true,
                    at(step, 2),
                    same,
                    List.of(Sample.of(MOUNT, HITS, 70_000 * step)),
                    List.of(),
                    List.of(),
                    Map.of(),
                    List.of()));
            feed.close(step);
        }
        assertThat(feed.cells(HITS)).containsExactly(NONE, 1, 1);
    }

    @Test
    void quotients_need_something_to_divide_by() {
        feed.mount(at(0, 1), MISS_BYTES, 0, HIT_BYTES, 0).close(0);
        feed.mount(at(1, 1), MISS_BYTES, 15e6, HIT_BYTES, 45e6).close(1);
        feed.mount(at(2, 1), MISS_BYTES, 15e6 + 15, HIT_BYTES, 45e6).close(2);
        assertThat(feed.cells(MISS_RATIO)).containsExactly(NONE, 0.25, NONE);
        assertThat(feed.gap(MISS_RATIO, 2)).isEqualTo(Gap.NO_ACTIVITY);
        assertThat(feed.gap(READ_COST, 2)).isEqualTo(Gap.NOT_SCRAPED_YET);
    }

    /** LATENCY LATEST repeats its last event until the next one. */
    @Test
    void an_event_that_is_reported_forty_times_happened_once() {
        Moment event = new Moment(
                REDIS, Moment.Kind.LATENCY_EVENT, "expire-cycle", at(0, 0.5), 500, 0.18, "expire-cycle@1796000400");
        for (int step = 0; step < 40; step++) {
            feed.redis(at(step, 1), event).close(step);
        }
        assertThat(feed.window(REDIS).moments(Moment.Kind.LATENCY_EVENT)).containsExactly(event);
    }

    @Test
    void moments_are_in_time_order_however_late_they_are_told() {
        feed.redis(at(0, 1)).close(0);
        feed.redis(at(1, 1), ping(at(1, 0), 0.001), ping(at(0, 9), 0.002)).close(1);
        feed.redis(at(2, 1), ping(at(0, 5), 0.003), ping(at(2, 0), 0.004)).close(2);
        assertThat(feed.window(REDIS).moments(Moment.Kind.PING))
                .extracting(Moment::seconds)
                .containsExactly(0.003, 0.002, 0.001, 0.004);
    }

    @Test
    void a_moment_later_than_the_answers_is_not_known_yet() {
        feed.redis(at(0, 1)).close(0);
        feed.redis(at(1, 1), ping(at(1, 0), 0.001), ping(at(1, 4), 0.9)).close(1);
        assertThat(feed.window(REDIS).moments(Moment.Kind.PING)).hasSize(1);
        assertThat(feed.window(REDIS).series(Signal.RTT_MAX).at(1)).isEqualTo(0.001);
        feed.redis(at(2, 1)).close(2);
        assertThat(feed.window(REDIS).series(Signal.RTT_MAX).at(2)).isEqualTo(0.9);
    }

    @Test
    void a_ping_without_an_answer_took_at_least_five_seconds() {
        feed.redis(at(0, 1)).close(0);
        feed.redis(at(1, 1), ping(at(0, 9), 0.001), ping(at(0, 10), Double.NaN)).close(1);
        assertThat(feed.window(REDIS).series(Signal.RTT_MAX).at(1)).isEqualTo(5);
        assertThat(feed.window(REDIS).series(Signal.RTT_LOST).at(1)).isEqualTo(1);
    }

    @Test
    void utilisation_is_the_mean_of_the_devices_that_answered() {
        feed.job(at(0, 1), Signal.ACCELERATOR_USE, 0.9).close(0);
        assertThat(feed.window(Feed.JOB).series(Signal.UTILISATION).at(0)).isEqualTo(0.9);
        feed.missed(Feed.JOB_TARGET, at(1, 1), Gap.TARGET_DOWN).close(1);
        assertThat(feed.window(Feed.JOB).series(Signal.UTILISATION).present(1)).isFalse();
    }

    @Test
    void a_rank_that_is_missing_makes_the_sum_a_gap_until_it_has_left() {
        Target first = new Target(SourceKind.TRAINER, "vision", "trainer-0:9401", null);
        Target second = new Target(SourceKind.TRAINER, "vision", "trainer-1:9401", null);
        for (int step = 0; step < 30; step++) {
            rank(first, step);
            if (step < 3) {
                rank(second, step);
            }
            feed.close(step);
        }
        Series samples = feed.window(Feed.JOB).series(Signal.SAMPLES);
        assertThat(samples.at(2)).isEqualTo(200);
        assertThat(samples.present(3)).isFalse();
        assertThat(samples.present(22)).isFalse();
        assertThat(samples.at(23)).isEqualTo(100);
    }

    private void rank(Target target, int step) {
        Sample samples = new Sample(Feed.JOB, Signal.SAMPLES, target.address(), 1500 * step);
        feed.timeline.accept(new Scrape.Scraped(
                target,
                true,
                at(step, 1),
                new Identity(Feed.JOB, "gpu-01", null, null, null),
                List.of(samples),
                List.of(),
                List.of(),
                Map.of(),
                List.of()));
    }

    @Test
    void two_hours_fit_and_no_more() {
        for (int step = 0; step < 500; step++) {
            feed.mount(at(step, 1), HITS, 15 * step).close(step);
        }
        assertThat(feed.window(MOUNT).size()).isEqualTo(480);
        assertThat(feed.cells(HITS)).containsOnly(1);
    }

    @Test
    void a_mount_that_has_been_gone_for_two_hours_is_forgotten() {
        feed.mount(at(0, 1), HITS, 0).close(0);
        for (int step = 1; step <= 480; step++) {
            feed.redis(at(step, 1)).close(step);
        }
        assertThat(feed.timeline.scopes(ScopeKind.MOUNT)).containsExactly(MOUNT);
        feed.redis(at(481, 1)).close(481);
        assertThat(feed.timeline.scopes(ScopeKind.MOUNT)).isEmpty();
        assertThat(feed.timeline.topology().mounts("vision")).isEmpty();
        assertThat(feed.timeline.scopes(ScopeKind.REDIS)).containsExactly(REDIS);
    }

    @Test
    void an_exporter_that_names_a_hundred_thousand_disks_fills_no_memory() {
        Target node = new Target(SourceKind.NODE, "vision", "gpu-01:9100", null);
        Scope host = Scope.host("vision", "gpu-01");
        List<Sample> disks = IntStream.range(0, 100_000)
                .mapToObj(i -> new Sample(host, Signal.DISK_QUEUE, "sd" + i, i))
                .toList();
        Identity identity = new Identity(host, "gpu-01", null, null, null);
        feed.timeline.accept(
                new Scrape.Scraped(node, true, at(0, 1), identity, disks, List.of(), List.of(), Map.of(), List.of()));
        feed.close(0);
        assertThat(feed.window(host).parts(Signal.DISK_QUEUE)).hasSize(512);
    }

    @Test
    void steps_that_nobody_closed_are_closed_with_the_next() {
        feed.mount(at(0, 1), HITS, 0).close(0);
        feed.mount(at(4, 1), HITS, 60).close(4);
        assertThat(feed.cells(HITS)).hasSize(5);
        assertThat(feed.timeline.closedStep()).isEqualTo(FIRST + 4);
    }

    private static Moment ping(long at, double seconds) {
        return new Moment(REDIS, Moment.Kind.PING, "", at, 0, seconds, at + "");
    }

    private List<Boolean> masked(Mask mask) {
        Window window = feed.window(MOUNT);
        return IntStream.range(0, window.size())
                .mapToObj(i -> window.masked(i, mask))
                .toList();
    }
}
