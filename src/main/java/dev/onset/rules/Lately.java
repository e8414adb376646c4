package dev.onset.rules;

import dev.onset.signals.Bound;
import dev.onset.signals.Signal;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;

/** The newest steps of a window, for rules about what lasts rather than about what moved. */
final class Lately {
    /** With fewer numbers than this share of the steps there is nothing to say about all of them. */
    private static final double WATCHED = 0.75;

    private final Window window;
    private final int from;

    /**
     * @param steps how many, as a bound of the rule
     */
    Lately(Window window, Bound steps) {
        this.window = window;
        from = window.size() - window.steps(steps);
    }

    int from() {
        return from;
    }

    /** Whether the window reaches back so far, and a signal has numbers for most of it. */
    boolean watched(Signal signal) {
        return from >= 0 && counted(window.series(signal)) >= WATCHED * (window.size() - from);
    }

    double median(Signal signal) {
        return window.series(signal).median(from, window.size());
    }

    double mean(Signal signal) {
        return window.series(signal).mean(from, window.size());
    }

    /** The least of all steps: what it never fell below. */
    double least(Signal signal) {
        return window.series(signal).min(from, window.size());
    }

    double most(Signal signal) {
        return window.series(signal).max(from, window.size());
    }

    double maskedShare(Mask mask) {
        return window.maskedShare(Math.max(0, from), window.size(), mask);
    }

    Lane lane(Signal signal) {
        return Evidence.rise(window.series(signal), Math.max(0, from), window.size());
    }

    Lane lowLane(Signal signal) {
        return Evidence.fall(window.series(signal), Math.max(0, from), window.size());
    }

    private int counted(Series series) {
        int numbers = 0;
        for (int i = from; i < window.size(); i++) {
            numbers += series.present(i) ? 1 : 0;
        }
        return numbers;
    }
}
