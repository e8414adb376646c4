package dev.onset.timeline;

import static dev.onset.signals.Signal.CACHED_BYTES;
import static dev.onset.signals.Signal.HITS;
import static dev.onset.timeline.Feed.MOUNT;
import static dev.onset.timeline.Feed.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Signal;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ShiftTest {
    private static final Shift RISE = Shift.rise(CACHED_BYTES, 20, 2);

    @Test
    void a_rise_is_found_with_the_interval_in_which_it_began() {
        Feed feed = gauge(steady(12, 10), 50, 60, 55);
        assertThat(RISE.in(feed.window(MOUNT))).singleElement().satisfies(change -> {
            assertThat(change.start()).isEqualTo(12);
            assertThat(change.fromMillis()).isEqualTo(at(11, 1));
            assertThat(change.toMillis()).isEqualTo(at(12, 1));
            assertThat(change.base()).isEqualTo(10);
            assertThat(change.extreme()).isEqualTo(60);
            assertThat(change.goingOn()).isTrue();
            assertThat(change.steps()).isEqualTo(3);
        });
    }

    @Test
    void it_needs_the_floor_and_the_factor() {
        assertThat(RISE.in(gauge(steady(12, 1), 19, 19).window(MOUNT))).isEmpty();
        assertThat(RISE.in(gauge(steady(12, 15), 29, 29).window(MOUNT))).isEmpty();
        assertThat(RISE.in(gauge(steady(12, 15), 31, 31).window(MOUNT))).hasSize(1);
    }

    @Test
    void noise_raises_the_bound() {
        double[] noisy = {10, 30, 12, 28, 11, 29, 13, 27, 10, 30, 12, 28, 41, 41};
        assertThat(RISE.in(gauge(noisy).window(MOUNT))).isEmpty();
    }

    @Test
    void it_ends_after_two_steps_back_and_the_next_is_another() {
        Feed feed = gauge(steady(12, 10), 50, 50, 10, 10, 10, 50, 50, 10, 10);
        assertThat(RISE.in(feed.window(MOUNT)))
                .extracting(Change::start, Change::end, Change::over)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(12, 14, true),
                        org.assertj.core.groups.Tuple.tuple(17, 19, true));
    }

    @Test
    void one_good_step_inside_does_not_end_it() {
        Feed feed = gauge(steady(12, 10), 50, 10, 50, 50);
        assertThat(RISE.in(feed.window(MOUNT)))
                .singleElement()
                .extracting(Change::steps)
                .isEqualTo(4);
    }

    @Test
    void a_change_does_not_become_its_own_baseline() {
        Feed feed = gauge(steady(12, 10), steady(60, 50));
        assertThat(RISE.in(feed.window(MOUNT)))
                .singleElement()
                .extracting(Change::base)
                .isEqualTo(10.0);
    }

    @Test
    void four_steps_are_a_baseline_with_a_wider_band_and_three_are_none() {
        assertThat(RISE.in(gauge(steady(3, 10), 50).window(MOUNT))).isEmpty();
        assertThat(RISE.in(gauge(steady(4, 10), 50, 50).window(MOUNT)))
                .singleElement()
                .extracting(Change::baseline)
                .isEqualTo(4);
        // Four deviations are 6 above 101; with a third of the steps it takes the root of three times that.
        Shift slight = Shift.rise(CACHED_BYTES, 0, 1.05);
        double[] few = {100, 102, 100, 104, 109, 109};
        double[] many = {100, 102, 100, 104, 100, 102, 100, 104, 100, 102, 100, 104, 109, 109};
        assertThat(slight.in(gauge(few).window(MOUNT))).isEmpty();
        assertThat(slight.in(gauge(many).window(MOUNT))).hasSize(1);
    }

    @Test
    void held_for_two_steps_is_not_one() {
        Shift held = RISE.heldFor(2);
        assertThat(held.in(gauge(steady(12, 10), 50, 10, 10).window(MOUNT))).isEmpty();
        assertThat(held.in(gauge(steady(12, 10), 50, 50).window(MOUNT)))
                .singleElement()
                .extracting(Change::start)
                .isEqualTo(12);
    }

    @Test
    void a_fall_needs_its_share_and_its_floor_and_a_baseline_worth_the_name() {
        Shift fall = Shift.fall(CACHED_BYTES, 15, 0.2).from(30);
        assertThat(fall.in(gauge(steady(12, 97), 40, 45).window(MOUNT)))
                .singleElement()
                .extracting(Change::extreme)
                .isEqualTo(40.0);
        assertThat(fall.in(gauge(steady(12, 97), 83, 83).window(MOUNT))).isEmpty();
        assertThat(fall.in(gauge(steady(12, 25), 1, 1).window(MOUNT))).isEmpty();
    }

    @Test
    void across_a_gap_the_interval_reaches_back_to_the_last_good_sample() {
        Feed feed = gauge(steady(12, 10), Double.NaN, 50, 50);
        assertThat(RISE.in(feed.window(MOUNT))).singleElement().satisfies(change -> {
            assertThat(change.fromMillis()).isEqualTo(at(11, 1));
            assertThat(change.toMillis()).isEqualTo(at(13, 1));
        });
    }

    @Test
    void a_gap_inside_does_not_end_it() {
        Feed feed = gauge(steady(12, 10), 50, Double.NaN, Double.NaN, 50);
        assertThat(RISE.in(feed.window(MOUNT)))
                .singleElement()
                .extracting(Change::goingOn)
                .isEqualTo(true);
    }

    @Test
    void a_rate_that_is_half_way_out_in_the_step_before_widens_the_onset() {
        Feed feed = new Feed();
        double raw = 0;
        double[] rates = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 17, 50, 50};
        for (int step = 0; step < rates.length; step++) {
            raw += rates[step] * 15;
            feed.mount(at(step, 1), HITS, raw).close(step);
        }
        assertThat(Shift.rise(HITS, 20, 2).in(feed.window(MOUNT)))
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.start()).isEqualTo(14);
                    assertThat(change.fromMillis()).isEqualTo(at(12, 1));
                    assertThat(change.toMillis()).isEqualTo(at(14, 1));
                });
    }

    @Test
    void nothing_is_found_in_a_restart() {
        Feed feed = new Feed();
        for (int step = 0; step < 12; step++) {
            feed.mount(at(step, 1), CACHED_BYTES, 10, Signal.UPTIME, 5000 + 15 * step)
                    .close(step);
        }
        feed.mount(at(12, 1), CACHED_BYTES, 50, Signal.UPTIME, 3).close(12);
        feed.mount(at(13, 1), CACHED_BYTES, 50, Signal.UPTIME, 18).close(13);
        assertThat(RISE.in(feed.window(MOUNT))).isEmpty();
    }

    private static double[] steady(int steps, double value) {
        return DoubleStream.generate(() -> value).limit(steps).toArray();
    }

    private static Feed gauge(double[] before, double... after) {
        Feed feed = new Feed();
        double[] values = DoubleStream.concat(DoubleStream.of(before), DoubleStream.of(after))
                .toArray();
        for (int step = 0; step < values.length; step++) {
            if (Double.isNaN(values[step])) {
                feed.mount(at(step, 1)).close(step);
            } else {
                feed.mount(at(step, 1), CACHED_BYTES, values[step]).close(step);
            }
        }
        return feed;
    }

    private static Feed gauge(double[] values) {
        return gauge(values, new double[0]);
    }
}
