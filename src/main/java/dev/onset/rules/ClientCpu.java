package dev.onset.rules;

import dev.onset.signals.Signal;
import dev.onset.timeline.Window;

/** How many cores the client may use. */
final class ClientCpu {
    private ClientCpu() {}

    /** What it says itself (newer ones do), otherwise the cores of its host; NaN where neither is known. */
    static double limit(Window window) {
        double stated = window.series(Signal.CLIENT_CPU_LIMIT).latest();
        // Over all modes a core spends a second a second.
        return Double.isNaN(stated)
                ? Math.round(window.series(Signal.CPU_SECONDS).median(0, window.size()))
                : stated;
    }
}
