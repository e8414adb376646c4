package dev.onset.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.onset.signals.Signal;
import dev.onset.timeline.Shift;
import dev.onset.timeline.Statistics;
import dev.onset.timeline.Window;
import org.junit.jupiter.api.Test;

class PairingTest {
    private static final int LEAD = 4;

    @Test
    void an_onset_is_before_another_only_where_the_intervals_do_not_overlap() {
        Onset first = onset(0, 15);
        assertThat(first.order(onset(20, 30))).isEqualTo(Order.BEFORE);
        assertThat(first.order(onset(15, 30))).as("a shared end is no overlap").isEqualTo(Order.BEFORE);
        assertThat(first.order(onset(14, 30))).isEqualTo(Order.TOGETHER);
        assertThat(first.order(first)).isEqualTo(Order.TOGETHER);
        assertThat(onset(20, 30).order(first)).isEqualTo(Order.AFTER);
    }

    @Test
    void a_cause_one_step_earlier_came_before() {
        Pairing pairing = pairing("miss_bps 0x14 60Mx5", "accelerator_use 0.97x15 0.4x4");
        assertThat(pairing.pairs())
                .singleElement()
                .extracting(Pairing.Pair::order)
                .isEqualTo(Order.BEFORE);
        assertThat(pairing.repetition().medianLeadSeconds()).isEqualTo(15);
        assertThat(pairing.confidence()).isEqualTo(Confidence.LIKELY);
    }

    @Test
    void the_same_step_is_together() {
        Pairing pairing = pairing("miss_bps 0x14 60Mx5", "accelerator_use 0.97x14 0.4x5");
        assertThat(pairing.pairs())
                .singleElement()
                .extracting(Pairing.Pair::order)
                .isEqualTo(Order.TOGETHER);
        assertThat(pairing.repetition().together()).isEqualTo(1);
    }

    @Test
    void a_cause_longer_ago_than_its_lead_is_no_cause() {
        Pairing pairing = pairing("miss_bps 0x14 60Mx9", "accelerator_use 0.97x21 0.4x2");
        assertThat(pairing.pairs()).isEmpty();
        assertThat(pairing.counterExamples()).isZero();
    }

    @Test
    void an_effect_that_came_first_is_a_counter_example() {
        Pairing pairing = pairing("miss_bps 0x16 60Mx5", "accelerator_use 0.97x14 0.4x7");
        assertThat(pairing.pairs()).isEmpty();
        assertThat(pairing.counterExamples()).isEqualTo(1);
        assertThat(pairing.contradicted()).isTrue();
    }

    @Test
    void three_pairs_at_no_fixed_distance_are_confirmed() {
        Pairing pairing = pairing(
                "miss_bps 0x14 60Mx2 0x8 60Mx2 0x15 60Mx2 0x3",
                "accelerator_use 0.97x15 0.4x1 0.97x9 0.4x1 0.97x16 0.4x1 0.97x3");
        Repetition repetition = pairing.repetition();
        assertThat(repetition.followed()).isEqualTo(3);
        assertThat(repetition.equalPeriods()).isFalse();
        assertThat(repetition.chance()).isLessThan(0.05);
        assertThat(pairing.confidence()).isEqualTo(Confidence.CONFIRMED);
    }

    @Test
    void equal_periods_are_one_coincidence_however_often() {
        Pairing pairing = pairing(
                "miss_bps 0x14 60Mx2 0x9 60Mx2 0x9 60Mx2 0x9 60Mx2 0x3",
                "accelerator_use 0.97x15 0.4x1 0.97x10 0.4x1 0.97x10 0.4x1 0.97x10 0.4x1 0.97x3");
        assertThat(pairing.repetition().followed()).isEqualTo(4);
        assertThat(pairing.repetition().equalPeriods()).isTrue();
        assertThat(pairing.repetition().chance()).isEqualTo(1);
        assertThat(pairing.confidence()).isEqualTo(Confidence.LIKELY);
    }

    @Test
    void pairs_in_one_step_count_half() {
        Pairing pairing = pairing(
                "miss_bps 0x14 60Mx2 0x8 60Mx2 0x15 60Mx2 0x3",
                "accelerator_use 0.97x14 0.4x2 0.97x8 0.4x2 0.97x15 0.4x2 0.97x3");
        assertThat(pairing.repetition().together()).isEqualTo(3);
        assertThat(pairing.repetition().chance()).isGreaterThan(0.05);
        assertThat(pairing.confidence()).isEqualTo(Confidence.LIKELY);
    }

    @Test
    void on_a_short_baseline_nothing_is_confirmed() {
        Pairing pairing = pairing(
                "miss_bps 0x6 60Mx2 0x8 60Mx2 0x15 60Mx2 0x3",
                "accelerator_use 0.97x7 0.4x1 0.97x9 0.4x1 0.97x16 0.4x1 0.97x3");
        assertThat(pairing.repetition().followed()).isEqualTo(3);
        assertThat(pairing.confidence()).isEqualTo(Confidence.LIKELY);
    }

    /** With causes nearly all the time, effects land in their windows whatever they come from. */
    @Test
    void frequent_causes_prove_nothing() {
        Pairing pairing = pairing(
                "miss_bps 0x14 60Mx1 0x2 60Mx1 0x3 60Mx1 0x2 60Mx1 0x3 60Mx1 0x2 60Mx1 0x4",
                "accelerator_use 0.97x15 0.4x1 0.97x8 0.4x1 0.97x9 0.4x1 0.97x4");
        assertThat(pairing.repetition().chance()).isGreaterThan(0.05);
        assertThat(pairing.confidence()).isEqualTo(Confidence.LIKELY);
    }

    @Test
    void chance_is_the_binomial_tail() {
        assertThat(Statistics.binomialTail(3, 3, 0.36)).isEqualTo(0.046656, within(1e-9));
        assertThat(Statistics.binomialTail(12, 11, 0.3))
                .isEqualTo(12 * Math.pow(0.3, 11) * 0.7 + Math.pow(0.3, 12), within(1e-12));
        assertThat(Statistics.binomialTail(5, 0, 0.1)).isEqualTo(1);
    }

    private static Pairing pairing(String cause, String effect) {
        Window window = new Stage(Trace.of(cause, effect)).window(Stage.MOUNT);
        return Pairing.of(
                window,
                Shift.rise(Signal.MISS_BYTES, 20 << 20, 2).in(window),
                Shift.fall(Signal.UTILISATION, 0.15, 0.2).from(0.3).in(window),
                LEAD);
    }

    private static Onset onset(long fromSeconds, long toSeconds) {
        return new Onset(Stage.MOUNT, Signal.MISS_BYTES, "", fromSeconds * 1000, toSeconds * 1000);
    }
}
