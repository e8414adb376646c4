package dev.onset.diagnoses;

import dev.onset.rules.Loss;
import dev.onset.signals.Signal;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.List;

/** Adds up lost accelerator time: Σ (healthy utilisation − utilisation) × devices × step. */
final class CostMeter {
    private CostMeter() {}

    /**
     * @param so what was counted up to {@code countedMillis}
     * @param losses stretches, possibly counted in part already
     * @param countedMillis steps that begin before this were counted
     */
    static Cost add(Cost so, Window window, List<Loss> losses, long countedMillis) {
        Series use = window.series(Signal.UTILISATION);
        double seconds = window.axis().stepMillis() / 1e3;
        int devices = Math.max(so.devices(), devices(window));
        double best = so.acceleratorSeconds();
        double low = so.low();
        double high = so.high();
        for (Loss loss : losses) {
            for (int i = 0; i < window.size(); i++) {
                long start = window.startMillis(i);
                if (start >= loss.fromMillis() && start < loss.toMillis() && start >= countedMillis && use.present(i)) {
                    double lost = Math.max(0, loss.healthy() - use.at(i)) * devices * seconds;
                    double doubt = 2 * loss.spread() * devices * seconds;
                    best += lost;
                    low += Math.max(0, lost - doubt);
                    high += lost + doubt;
                }
            }
        }
        return new Cost(best, low, high, devices);
    }

    private static int devices(Window window) {
        Signal signal =
                window.parts(Signal.ACCELERATOR_USE).isEmpty() ? Signal.ACCELERATOR_ENGINE : Signal.ACCELERATOR_USE;
        return window.parts(signal).size();
    }
}
