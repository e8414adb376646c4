package dev.onset.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Distribution;
import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A column keeps what was put, whatever it looks like, from the open cells into the oldest block. */
class ColumnTest {
    private static final int CAPACITY = 480;
    private static final long FIRST = 119_733_360;
    private static final Gap[] GAPS = Gap.values();

    private final ScopeColumns mount = scope(Scope.mount("vision", "imagenet", "gpu-01", "/mnt/jfs"));

    private static ScopeColumns scope(Scope scope) {
        return new ScopeColumns(scope, new TimeAxis(15_000), CAPACITY, FIRST, new Block.Packer(), new SharedBounds());
    }

    private interface Story {
        double at(SplittableRandom random, int step);
    }

    /** NaN stands for a gap. */
    private void keeps(Signal signal, double precision, Story story) {
        for (int seed = 0; seed < 8; seed++) {
            ScopeColumns scope = scope(mount.scope);
            SplittableRandom random = new SplittableRandom(seed);
            Column column = scope.columnFor(signal, "");
            int steps = 1_300;
            double[] put = new double[steps];
            double[] read = new double[steps];
            Arrays.fill(put, Double.NaN);
            for (int step = 0; step < steps; step++) {
                if (random.nextInt(40) > 0) {
                    put[step] = story.at(random, step);
                    if (Double.isNaN(put[step])) {
                        column.gap(FIRST + step, GAPS[step % GAPS.length]);
                    } else {
                        column.put(FIRST + step, put[step]);
                    }
                    read[step] = column.value(FIRST + step);
                }
                scope.sealUpTo(FIRST + step);
                if (step % 37 == 0 || step == steps - 1) {
                    same(column, put, read, precision, step);
                }
            }
        }
    }

    private static void same(Column column, double[] put, double[] read, double precision, int now) {
        double most = Double.NEGATIVE_INFINITY;
        for (int step = Math.max(0, (int) (column.last() - FIRST) - CAPACITY + 1); step <= now; step++) {
            double value = column.value(FIRST + step);
            most = Math.max(most, Double.isNaN(value) ? most : value);
            if (Double.isNaN(put[step])) {
                assertThat(value).isNaN();
                assertThat(column.gap(FIRST + step)).isIn(GAPS[step % GAPS.length], Gap.NOT_SCRAPED_YET);
            } else {
                // It never changes as it ages.
                assertThat(value).isEqualTo(read[step]);
                assertThat(value == put[step] || Math.abs(value - put[step]) <= precision * Math.abs(put[step]))
                        .isTrue();
            }
        }
        Range range = column.range(FIRST, FIRST + now + 1);
        assertThat(range.isEmpty() ? Double.NEGATIVE_INFINITY : range.largest()).isEqualTo(most);
    }

    @Test
    void a_gauge_of_bytes_is_exact() {
        keeps(Signal.CACHED_BYTES, 0, (random, step) -> 900e9 + random.nextInt(1_000_000_000));
    }

    @Test
    void a_small_count_is_exact() {
        keeps(Signal.OPEN_HANDLES, 0, (random, step) -> random.nextInt(90) > 0 ? random.nextInt(300) : Double.NaN);
    }

    @Test
    void an_epoch_is_exact() {
        keeps(Signal.PROCESS_START, 0, (random, step) -> 1.7958e9 + random.nextInt(1_000) / 1e3);
    }

    @Test
    void hundredths_are_exact() {
        keeps(Signal.USED_INODES, 0, (random, step) -> random.nextInt(100) / 100.0);
    }

    @Test
    void a_gauge_that_is_anything_is_exact() {
        double[] odd = {-0.0, 0, 1e300, -1e-300, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e18, 0.1, -7};
        keeps(Signal.STAGING_BLOCKS, 0, (random, step) -> odd[random.nextInt(odd.length)]);
    }

    @Test
    void what_stands_still_takes_nothing_and_is_exact() {
        keeps(Signal.USED_SPACE, 0, (random, step) -> step < 700 ? 41e12 : 42e12);
        keeps(Signal.PUTS, 0, (random, step) -> step % 500 < 490 ? 0 : 1);
    }

    @Test
    void a_rate_keeps_four_digits() {
        keeps(Signal.HIT_BYTES, 1.3e-4, (random, step) -> 4e8 * random.nextDouble(0.3, 1.9));
        keeps(Signal.MISSES, 1.3e-4, (random, step) -> random.nextBoolean() ? 0 : Math.pow(10, random.nextInt(-6, 12)));
        keeps(Signal.CACHE_FILL, 1.3e-4, (random, step) -> random.nextDouble(-5, 5));
    }

    @Test
    void a_rate_that_reached_a_bound_still_reaches_it() {
        Column column = mount.columnFor(Signal.OBJECT_ERRORS, "");
        double[] bounds = {0.2, 0.7, 0.05, 20.6, 1 / 3.0, 1e6, 20 << 20};
        for (int step = 0; step < bounds.length; step++) {
            column.put(FIRST + step, bounds[step]);
            assertThat(column.value(FIRST + step)).isBetween(bounds[step], bounds[step] * 1.0002);
        }
    }

    @Test
    void a_finite_rate_stays_finite() {
        Column column = mount.columnFor(Signal.HIT_BYTES, "");
        column.put(FIRST, 1e300);
        assertThat(column.value(FIRST)).isFinite().isGreaterThan(1e38);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 59, 119, 240})
    void a_histogram_keeps_every_bucket_exactly(int age) {
        double[] bounds = new double[40];
        Arrays.setAll(bounds, i -> i == 39 ? Double.POSITIVE_INFINITY : Math.pow(1.5, i));
        SplittableRandom random = new SplittableRandom(age);
        Column column = mount.columnFor(Signal.FUSE_DURATION, "");
        double[] counts = new double[40];
        double[][] moved = new double[260][40];
        for (int step = 0; step < moved.length; step++) {
            double more = 0;
            for (int b = 0; b < 40; b++) {
                moved[step][b] = step > 0 && b > 3 && b < 30 && step % 7 > 0 ? random.nextInt(1 << (b % 20)) : 0;
                more += moved[step][b];
                counts[b] += more;
            }
            column.distribution(
                    FIRST + step,
                    new Distribution(mount.scope, Signal.FUSE_DURATION, bounds.clone(), counts.clone()),
                    (FIRST + step) * 15_000,
                    40_000,
                    false);
            mount.sealUpTo(FIRST + step);
        }
        int step = moved.length - 1 - age;
        assertThat(column.increments(FIRST + step)).containsExactly(moved[step]);
        assertThat(column.value(FIRST + step))
                .isEqualTo(Arrays.stream(moved[step]).sum());
    }
}
