package dev.onset.rules;

import dev.onset.signals.Signal;
import dev.onset.timeline.Change;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Series;
import dev.onset.timeline.Shift;
import dev.onset.timeline.Window;
import java.util.List;

/** The effect that most rules explain: accelerators fell out of their usual utilisation. */
final class UtilisationDrops {
    private static final Shift DROP = Shift.fall(Signal.UTILISATION, 0.15, 0.20).from(0.30);
    private static final double SAMPLES_FALL = 0.15;
    private static final double FED = 0.1;

    private UtilisationDrops() {}

    /** Drops that the training loop confirms, where it counts its samples at all. */
    static List<Change> in(Window window) {
        Series samples = window.series(Signal.SAMPLES);
        return DROP.in(window).stream().filter(drop -> confirmed(samples, drop)).toList();
    }

    /** Drops in which the loop did not stop asking by itself. */
    static List<Change> outsidePauses(Window window) {
        return in(window).stream()
                .filter(drop -> !window.masked(drop.start(), Mask.EVAL) && !window.masked(drop.start() + 1, Mask.EVAL))
                .toList();
    }

    /** The loop counts its own waiting, and in the drop it hardly waits for data: whatever it does, no read starves it. */
    static boolean loopIsFed(Window window, Change drop) {
        Series waiting = window.series(Signal.DATA_WAIT);
        double idle = 1 - window.series(Signal.UTILISATION).median(drop.start(), drop.end()) / drop.base();
        return waiting.max(drop.start(), drop.end() + 1) < FED * idle;
    }

    /** Fewer samples a second in the first steps of the drop; a loop without a counter cannot object. */
    private static boolean confirmed(Series samples, Change drop) {
        int steps = Math.max(2, drop.steps());
        double before = samples.median(drop.start() - 40, drop.start() - 1);
        double during = samples.min(drop.start(), drop.start() + steps + 1);
        return Double.isNaN(before) || Double.isNaN(during) || during <= (1 - SAMPLES_FALL) * before;
    }
}
