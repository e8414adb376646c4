package dev.onset.rules;

import dev.onset.timeline.Series;

/** Before, during and after of a series around an event. */
final class Evidence {
    private static final int BEFORE_STEPS = 12;

    private Evidence() {}

    static Lane rise(Series series, int start, int end) {
        return new Lane(
                series.scope(),
                series.signal(),
                series.part(),
                before(series, start),
                series.max(start, end),
                series.latest());
    }

    static Lane fall(Series series, int start, int end) {
        return new Lane(
                series.scope(),
                series.signal(),
                series.part(),
                before(series, start),
                series.min(start, end),
                series.latest());
    }

    static double before(Series series, int start) {
        return series.median(start - BEFORE_STEPS, start);
    }
}
