package dev.onset.rules;

import dev.onset.signals.Signal;
import dev.onset.timeline.Window;

/** How much of a host's network is in use. */
final class Network {
    private Network() {}

    /** The largest share of an interface's speed from a step on, median; NaN where no interface states its speed. */
    static double busiestShare(Window window, Signal sentOrReceived, int from) {
        double most = Double.NaN;
        for (String device : window.parts(Signal.NET_SPEED)) {
            double speed = window.series(Signal.NET_SPEED, device).latest();
            double share = window.series(sentOrReceived, device).median(Math.max(0, from), window.size()) / speed;
            if (speed > 0 && !(share <= most)) {
                most = Double.isNaN(share) ? most : share;
            }
        }
        return most;
    }
}
