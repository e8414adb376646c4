package dev.onset.timeline;

import static dev.onset.signals.Signal.ACCELERATOR_USE;
import static dev.onset.signals.Signal.CACHED_BYTES;
import static dev.onset.signals.Signal.CACHE_EVICTS;
import static dev.onset.signals.Signal.CACHE_WRITE_BYTES;
import static dev.onset.signals.Signal.EPOCH;
import static dev.onset.signals.Signal.FUSE_READ_BYTES;
import static dev.onset.signals.Signal.FUSE_SECONDS;
import static dev.onset.signals.Signal.FUSE_WRITE_BYTES;
import static dev.onset.signals.Signal.MISS_BYTES;
import static dev.onset.signals.Signal.PHASE_EVAL;
import static dev.onset.signals.Signal.READ_SECONDS;
import static dev.onset.signals.Signal.UPTIME;
import static dev.onset.timeline.Feed.MOUNT;
import static dev.onset.timeline.Feed.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MaskTest {
    private static final double MIB = 1 << 20;

    private final Feed feed = new Feed();

    /** A remounted client finds its cached blocks at once: waiting for minutes would only make us blind. */
    @Test
    void a_client_is_young_for_half_a_minute() {
        for (int step = 0; step < 5; step++) {
            feed.mount(at(step, 1), UPTIME, 2 + 15 * step).close(step);
        }
        assertThat(steps(Mask.RESTART)).containsExactly(0, 1);
    }

    @Test
    void no_answer_is_a_gap() {
        feed.mount(at(0, 1), UPTIME, 900).close(0).close(1);
        feed.mount(at(2, 1), UPTIME, 930).close(2);
        assertThat(steps(Mask.GAP)).containsExactly(1);
    }

    @Test
    void the_first_pass_keeps_what_it_misses_and_evicts_nothing() {
        for (int step = 0; step < 4; step++) {
            double read = step * 15 * 50 * MIB;
            feed.mount(
                            at(step, 1),
                            MISS_BYTES,
                            read,
                            CACHE_WRITE_BYTES,
                            read * 0.9,
                            CACHE_EVICTS,
                            0,
                            CACHED_BYTES,
                            read)
                    .close(step);
        }
        assertThat(steps(Mask.COLD)).containsExactly(1, 2, 3);
    }

    @Test
    void with_evictions_it_is_no_first_pass() {
        for (int step = 0; step < 4; step++) {
            double read = step * 15 * 50 * MIB;
            feed.mount(
                            at(step, 1),
                            MISS_BYTES,
                            read,
                            CACHE_WRITE_BYTES,
                            read,
                            CACHE_EVICTS,
                            150 * step,
                            CACHED_BYTES,
                            read)
                    .close(step);
        }
        assertThat(steps(Mask.COLD)).isEmpty();
    }

    @Test
    void the_loop_says_that_it_is_in_its_first_epoch() {
        for (int step = 0; step < 3; step++) {
            feed.job(at(step, 1), EPOCH, step == 2 ? 2 : 1);
            feed.mount(at(step, 1), UPTIME, 900 + step * 15).close(step);
        }
        assertThat(steps(Mask.COLD)).containsExactly(0, 1);
    }

    @Test
    void two_idle_steps_are_a_pause_and_one_is_not() {
        double[] use = {0.97, 0.97, 0, 0.97, 0, 0, 0.97};
        double waited = 0;
        for (int step = 0; step < use.length; step++) {
            waited += use[step] > 0 ? 7 : 0;
            feed.job(at(step, 1), ACCELERATOR_USE, use[step]);
            feed.mount(at(step, 1), READ_SECONDS, waited, FUSE_SECONDS, waited).close(step);
        }
        assertThat(steps(Mask.EVAL)).containsExactly(4, 5);
    }

    @Test
    void idle_accelerators_with_readers_that_wait_are_not_a_pause() {
        for (int step = 0; step < 6; step++) {
            feed.job(at(step, 1), ACCELERATOR_USE, step < 3 ? 0.97 : 0);
            feed.mount(at(step, 1), READ_SECONDS, 60 * step, FUSE_SECONDS, 60 * step)
                    .close(step);
        }
        assertThat(steps(Mask.EVAL)).isEmpty();
    }

    @Test
    void the_loop_says_that_it_evaluates() {
        for (int step = 0; step < 3; step++) {
            feed.job(at(step, 1), PHASE_EVAL, step == 1 ? 1 : 0);
            feed.mount(at(step, 1), UPTIME, 900 + step * 15).close(step);
        }
        assertThat(steps(Mask.EVAL)).containsExactly(1);
    }

    @Test
    void a_checkpoint_is_written_while_utilisation_and_reads_fall() {
        double written = 0;
        double waited = 0;
        for (int step = 0; step < 10; step++) {
            boolean saves = step >= 8;
            written += saves ? 15 * 60 * MIB : 0;
            waited += saves ? 1 : 15;
            feed.job(at(step, 1), ACCELERATOR_USE, saves ? 0.3 : 0.97);
            feed.mount(at(step, 1), FUSE_WRITE_BYTES, written, READ_SECONDS, waited, FUSE_SECONDS, waited)
                    .close(step);
        }
        assertThat(steps(Mask.CKPT)).containsExactly(8, 9);
    }

    @Test
    void eight_steps_of_writing_without_reading_are_an_import() {
        for (int step = 0; step < 11; step++) {
            feed.mount(at(step, 1), FUSE_WRITE_BYTES, step * 15 * 80 * MIB, FUSE_READ_BYTES, step * 15 * MIB)
                    .close(step);
        }
        assertThat(steps(Mask.IMPORT)).containsExactly(8, 9, 10);
    }

    @Test
    void forty_idle_steps_are_no_training() {
        for (int step = 0; step < 42; step++) {
            feed.job(at(step, 1), ACCELERATOR_USE, 0);
            feed.mount(at(step, 1), UPTIME, 900 + step * 15).close(step);
        }
        assertThat(steps(Mask.SETUP)).containsExactly(39, 40, 41);
    }

    private List<Integer> steps(Mask mask) {
        Window window = feed.window(MOUNT);
        return IntStream.range(0, window.size())
                .filter(i -> window.masked(i, mask))
                .boxed()
                .toList();
    }
}
