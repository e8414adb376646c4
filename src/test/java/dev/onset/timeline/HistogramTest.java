package dev.onset.timeline;

import static dev.onset.signals.Signal.GET_DURATION;
import static dev.onset.signals.Signal.UPTIME;
import static dev.onset.timeline.Feed.MOUNT;
import static dev.onset.timeline.Feed.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.onset.signals.Gap;
import org.junit.jupiter.api.Test;

class HistogramTest {
    private static final double INF = Double.POSITIVE_INFINITY;
    private static final double[] BOUNDS = {0.01, 0.1, 1, INF};

    private final Feed feed = new Feed();

    @Test
    void a_cell_counts_what_was_observed_in_its_step() {
        feed.with(GET_DURATION, BOUNDS, 100, 150, 150, 150).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 108, 160, 161, 161).mount(at(1, 1)).close(1);
        assertThat(feed.cells(GET_DURATION)).containsExactly(Double.NaN, 11);
    }

    @Test
    void one_stall_among_thousands_of_fast_calls_is_seen() {
        feed.with(GET_DURATION, BOUNDS, 0, 0, 0, 0).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 5000, 5000, 5001, 5001).mount(at(1, 1)).close(1);
        Series series = feed.window(MOUNT).series(GET_DURATION);
        assertThat(series.countAbove(1, 0.1)).isEqualTo(1);
        assertThat(series.countAbove(1, 1)).isZero();
        assertThat(series.quantile(1, 0.5)).isLessThan(0.01);
    }

    @Test
    void a_quantile_is_interpolated_inside_its_bucket() {
        feed.with(GET_DURATION, BOUNDS, 0, 0, 0, 0).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 0, 10, 10, 10).mount(at(1, 1)).close(1);
        assertThat(feed.window(MOUNT).series(GET_DURATION).quantile(1, 0.5)).isEqualTo(0.055, within(1e-9));
    }

    @Test
    void beyond_the_last_bound_a_quantile_is_at_least_that() {
        feed.with(GET_DURATION, BOUNDS, 0, 0, 0, 0).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 0, 0, 0, 10).mount(at(1, 1)).close(1);
        assertThat(feed.window(MOUNT).series(GET_DURATION).quantile(1, 0.99)).isEqualTo(1);
    }

    @Test
    void a_step_without_observations_has_no_quantile() {
        feed.with(GET_DURATION, BOUNDS, 5, 5, 5, 5).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 5, 5, 5, 5).mount(at(1, 1)).close(1);
        assertThat(feed.cells(GET_DURATION)).containsExactly(Double.NaN, 0);
        assertThat(feed.window(MOUNT).series(GET_DURATION).quantile(1, 0.5)).isNaN();
    }

    @Test
    void other_bounds_than_before_are_a_gap() {
        feed.with(GET_DURATION, BOUNDS, 100, 150, 150, 150).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, new double[] {0.02, INF}, 160, 161)
                .mount(at(1, 1))
                .close(1);
        feed.with(GET_DURATION, new double[] {0.02, INF}, 170, 171)
                .mount(at(2, 1))
                .close(2);
        assertThat(feed.cells(GET_DURATION)).containsExactly(Double.NaN, Double.NaN, 10);
        assertThat(feed.gap(GET_DURATION, 1)).isEqualTo(Gap.RESET);
        // The bounds of today say nothing about the buckets of then.
        assertThat(feed.window(MOUNT).series(GET_DURATION).countAbove(0, 0.1)).isNaN();
    }

    @Test
    void buckets_never_fall() {
        feed.with(GET_DURATION, BOUNDS, 100, 150, 150, 150).mount(at(0, 1)).close(0);
        feed.with(GET_DURATION, BOUNDS, 90, 160, 160, 160).mount(at(1, 1)).close(1);
        assertThat(feed.gap(GET_DURATION, 1)).isEqualTo(Gap.RESET);
    }

    @Test
    void a_restart_is_a_gap_even_where_all_buckets_grew() {
        feed.with(GET_DURATION, BOUNDS, 1, 1, 1, 1)
                .mount(at(0, 1), UPTIME, 5000)
                .close(0);
        feed.with(GET_DURATION, BOUNDS, 9, 9, 9, 9).mount(at(1, 1), UPTIME, 3).close(1);
        assertThat(feed.gap(GET_DURATION, 1)).isEqualTo(Gap.RESET);
    }
}
