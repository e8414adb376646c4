package dev.onset.timeline;

import dev.onset.signals.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Describes how a series must leave its baseline to count as changed, and finds where it did.
 *
 * <p>The baseline is the median of up to ten minutes of steps before, outside masks and outside changes of the same
 * series. With fewer steps than three minutes the noise band widens; below one minute nothing is judged.
 */
public final class Shift {
    private static final int BASELINE = 40;
    private static final int FULL_BASELINE = 12;
    private static final int LEAST_BASELINE = 4;
    private static final double NOISE = 4;
    private static final double BACK = 2;
    private static final int BACK_STEPS = 2;

    private final Signal signal;
    private final boolean up;
    private final double floor;
    private final double factor;
    private final double leastBase;
    private final int hold;

    private Shift(Signal signal, boolean up, double floor, double factor, double leastBase, int hold) {
        this.signal = signal;
        this.up = up;
        this.floor = floor;
        this.factor = factor;
        this.leastBase = leastBase;
        this.hold = hold;
    }

    /** A rise to at least {@code floor} and {@code factor} times the baseline, and out of its noise. */
    public static Shift rise(Signal signal, double floor, double factor) {
        return new Shift(signal, true, floor, factor, 0, 1);
    }

    /** A fall by at least {@code floor} and by the share {@code share} of the baseline, and out of its noise. */
    public static Shift fall(Signal signal, double floor, double share) {
        return new Shift(signal, false, floor, 1 - share, 0, 1);
    }

    /** Only where the baseline is at least this. */
    public Shift from(double least) {
        return new Shift(signal, up, floor, factor, least, hold);
    }

    /** Only when it lasts this many steps of 15 s. */
    public Shift heldFor(int ruleSteps) {
        return new Shift(signal, up, floor, factor, leastBase, ruleSteps);
    }

    public Signal signal() {
        return signal;
    }

    /** Every change in the window, oldest first. */
    public List<Change> in(Window window) {
        return window.changes(this);
    }

    /** Every change of one series, oldest first. */
    public List<Change> in(Window window, Series series) {
        return new Scan(window, series).run();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shift that
                && signal == that.signal
                && up == that.up
                && hold == that.hold
                && Double.compare(floor, that.floor) == 0
                && Double.compare(factor, that.factor) == 0
                && Double.compare(leastBase, that.leastBase) == 0;
    }

    @Override
    public int hashCode() {
        return Objects.hash(signal.ordinal(), up, hold, floor, factor, leastBase);
    }

    /** One pass over a series from old to new. */
    private final class Scan {
        private final Window window;
        private final Series series;
        private final Baseline baseline;
        private final int holdSteps;
        private final int backSteps;
        private final int fullBaseline;
        private final int leastBaseline;
        private final List<Change> changes = new ArrayList<>();
        /** No baseline inside the window lies beyond these, so neither does the bound. */
        private final Range range;

        private int candidate = -1;
        private int since = -1;
        private int back;
        private double base = Double.NaN;
        private double deviation = Double.NaN;
        private double bound = Double.NaN;
        private double extreme = Double.NaN;
        private int eventBaseline;

        Scan(Window window, Series series) {
            this.window = window;
            this.series = series;
            range = series.range(0, series.size());
            TimeAxis axis = window.axis();
            baseline = new Baseline(axis.steps(BASELINE));
            holdSteps = axis.steps(hold);
            backSteps = axis.steps(BACK_STEPS);
            fullBaseline = axis.steps(FULL_BASELINE);
            leastBaseline = Math.max(LEAST_BASELINE, axis.steps(LEAST_BASELINE));
        }

        List<Change> run() {
            int first = firstPossible();
            if (first < 0) {
                return List.of();
            }
            recall(first);
            for (int i = first; i < series.size(); i++) {
                double value = series.at(i);
                if (Double.isNaN(value) || window.masked(i, Mask.RESTART)) {
                    // No onset across a gap or a restart; what goes on, goes on.
                    candidate = since < 0 ? -1 : candidate;
                } else if (since >= 0) {
                    inside(i, value);
                } else {
                    outside(i, value);
                }
            }
            if (since >= 0) {
                add(series.size(), false);
            }
            return List.copyOf(changes);
        }

        /** The first cell that any baseline of this window could let leave; most windows have none. */
        private int firstPossible() {
            boolean any = range.largest() >= leastBase && possible(up ? range.largest() : range.smallest());
            for (int i = 0; any && i < series.size(); i++) {
                if (possible(series.at(i))) {
                    return i;
                }
            }
            return -1;
        }

        /** Cheap and never wrong in denying: a baseline is no smaller and no larger than the values of the window. */
        private boolean possible(double value) {
            return up
                    ? value >= floor && value >= factor * range.smallest()
                    : value <= factor * range.largest() && range.largest() - value >= floor;
        }

        /** Nothing left before this cell, so all that its baseline can hold are the healthy cells before. */
        private void recall(int first) {
            int from = first;
            for (int known = 0; from > 0 && known < baseline.capacity(); ) {
                from--;
                known += healthy(from) ? 1 : 0;
            }
            for (int i = from; i < first; i++) {
                if (healthy(i)) {
                    baseline.add(series.at(i));
                }
            }
        }

        private boolean healthy(int i) {
            return series.present(i) && !window.masked(i, Mask.RESTART);
        }

        private void outside(int i, double value) {
            if (!left(value)) {
                for (int c = candidate; candidate >= 0 && c < i; c++) {
                    remember(series.at(c));
                }
                candidate = -1;
                remember(value);
                return;
            }
            candidate = candidate < 0 ? i : candidate;
            if (i - candidate + 1 >= holdSteps) {
                since = candidate;
                candidate = -1;
                back = 0;
                eventBaseline = baseline.size();
                extreme = up ? series.max(since, i + 1) : series.min(since, i + 1);
            }
        }

        private boolean left(double value) {
            if (baseline.size() < leastBaseline || !possible(value)) {
                return false;
            }
            if (candidate < 0) {
                if (up && baseline.mostlyAbove(value, factor)) {
                    return false;
                }
                base = baseline.median();
                boolean near = up ? value < factor * base : value > factor * base || base - value < floor;
                if (near || !(base >= leastBase)) {
                    return false;
                }
                measure();
            }
            return up ? value >= bound : value <= bound && base - value >= floor;
        }

        private void measure() {
            deviation = baseline.deviation();
            double noise =
                    NOISE * deviation * Math.sqrt(Math.max(1, (double) fullBaseline / Math.max(1, baseline.size())));
            bound = up ? Math.max(floor, Math.max(factor * base, base + noise)) : Math.min(factor * base, base - noise);
        }

        private void inside(int i, double value) {
            double band = Math.max(BACK * deviation, Math.abs(bound - base) / 2);
            boolean good = up ? value <= base + band : value >= base - band;
            if (!good) {
                back = 0;
                extreme = up ? Math.max(extreme, value) : Math.min(extreme, value);
                return;
            }
            back++;
            if (back >= backSteps) {
                add(i - backSteps + 1, true);
                since = -1;
                for (int b = i - backSteps + 1; b <= i; b++) {
                    remember(series.at(b));
                }
            }
        }

        private void add(int end, boolean over) {
            int good = series.lastPresent(since - 1);
            long to = series.toMillis(since);
            long from = good < 0 ? series.fromMillis(since) : series.toMillis(good);
            if (good >= 0 && partly(series.at(good))) {
                // The cell before is already half way out: the change may have begun inside it.
                from = Math.max(series.fromMillis(good), Long.MIN_VALUE + 1);
            }
            changes.add(new Change(
                    series, since, end, over, base, deviation, extreme, eventBaseline, Math.min(from, to), to));
        }

        private boolean partly(double value) {
            return series.signal().kind() != Signal.Kind.GAUGE
                    && Math.abs(value - base) > Math.max(NOISE * deviation, Math.abs(bound - base) / 4);
        }

        private void remember(double value) {
            if (!Double.isNaN(value)) {
                baseline.add(value);
            }
        }
    }
}
