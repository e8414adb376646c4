package dev.onset.diagnoses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.onset.rules.Loss;
import dev.onset.signals.Identity;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CostMeterTest {
    private static final TimeAxis AXIS = new TimeAxis(15_000);
    private static final long START = 1_796_000_400_000L;
    private static final Scope JOB = Scope.job("vision");
    private static final Loss LOSS = new Loss(START + 45_000, START + 75_000, 0.97, 0.01);

    @Test
    void what_is_lost_is_the_missing_utilisation_of_every_device_with_a_range() {
        Cost cost = CostMeter.add(Cost.NONE, window(0.97, 0.97, 0.97, 0.40, 0.40, 0.97), List.of(LOSS), Long.MIN_VALUE);
        assertThat(cost.devices()).isEqualTo(2);
        assertThat(cost.acceleratorSeconds()).isEqualTo(0.57 * 2 * 15 * 2, within(1e-9));
        assertThat(cost.high() - cost.acceleratorSeconds()).isEqualTo(0.02 * 2 * 15 * 2, within(1e-9));
        assertThat(cost.acceleratorSeconds() - cost.low()).isEqualTo(0.02 * 2 * 15 * 2, within(1e-9));
    }

    @Test
    void what_was_counted_is_not_counted_again() {
        Window window = window(0.97, 0.97, 0.97, 0.40, 0.40, 0.97);
        Cost first = CostMeter.add(Cost.NONE, window, List.of(LOSS), Long.MIN_VALUE);
        assertThat(CostMeter.add(first, window, List.of(LOSS), START + 75_000)).isEqualTo(first);
        assertThat(CostMeter.add(Cost.NONE, window, List.of(LOSS), START + 60_000)
                        .acceleratorSeconds())
                .isEqualTo(0.57 * 2 * 15, within(1e-9));
    }

    @Test
    void more_than_usual_is_no_gain_and_a_gap_costs_nothing() {
        Cost cost = CostMeter.add(
                Cost.NONE, window(0.97, 0.97, 0.97, 1.0, Double.NaN, 0.97), List.of(LOSS), Long.MIN_VALUE);
        assertThat(cost.acceleratorSeconds()).isZero();
        assertThat(cost.low()).isZero();
    }

    private static Window window(double... use) {
        Timeline timeline = Timeline.of(AXIS, 1);
        Target target = new Target(SourceKind.ACCELERATOR, "vision", "gpu-01:9400", null);
        Identity job = new Identity(JOB, "gpu-01", null, null, null);
        for (int step = 0; step < use.length; step++) {
            if (!Double.isNaN(use[step])) {
                List<Sample> samples = List.of(
                        new Sample(JOB, Signal.ACCELERATOR_USE, "gpu-01/0", use[step]),
                        new Sample(JOB, Signal.ACCELERATOR_USE, "gpu-01/1", use[step]));
                long at = START + step * AXIS.stepMillis() + 1_000;
                timeline.accept(
                        new Scrape.Scraped(target, true, at, job, samples, List.of(), List.of(), Map.of(), List.of()));
            }
            timeline.close(AXIS.step(START) + step);
        }
        return timeline.window(JOB);
    }
}
