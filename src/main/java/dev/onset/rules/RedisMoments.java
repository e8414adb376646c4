package dev.onset.rules;

import dev.onset.signals.Facts;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Slow answers of a Redis and what Redis itself recorded in the same second. */
final class RedisMoments {
    static final double SLOW_SECONDS = 0.020;
    private static final double SLOW_FACTOR = 5;
    /** Two clocks and whole seconds: what lies within a second is "the same second". */
    private static final long SAME_SECOND_MILLIS = 1_000;

    private final Window window;
    private final List<Moment> events;
    private final List<Moment> slowCommands;
    private final List<Moment> spikes;
    private final double bound;

    RedisMoments(Window window) {
        this.window = window;
        events = window.moments(Moment.Kind.LATENCY_EVENT);
        slowCommands = window.moments(Moment.Kind.SLOW_COMMAND);
        double usual = window.series(Signal.RTT_MEDIAN).median(0, window.size());
        bound = Math.max(SLOW_SECONDS, Double.isNaN(usual) ? 0 : SLOW_FACTOR * usual);
        spikes = window.moments(Moment.Kind.PING, bound);
    }

    /** A round trip of at least this counts as a spike, seconds. */
    double bound() {
        return bound;
    }

    List<Moment> spikes() {
        return spikes;
    }

    List<Moment> slowCommands() {
        return slowCommands;
    }

    List<Moment> events(Predicate<String> name, double leastSeconds) {
        return events.stream()
                .filter(event -> name.test(event.name()) && event.seconds() >= leastSeconds)
                .toList();
    }

    /** Those of {@code others} that happened in the same second as {@code moment}. */
    static List<Moment> around(Moment moment, List<Moment> others) {
        List<Moment> near = new ArrayList<>();
        double end = moment.atMillis() + (Double.isNaN(moment.seconds()) ? 5_000 : moment.seconds() * 1e3);
        for (Moment other : others) {
            long slack = SAME_SECOND_MILLIS + other.precisionMillis();
            if (other.atMillis() >= moment.atMillis() - slack && other.atMillis() <= end + slack) {
                near.add(other);
            }
        }
        return near;
    }

    /** Latency events can be missing because nobody switched them on, or because we may not ask. */
    boolean latencyMonitored() {
        Scope redis = window.scope();
        String threshold = window.fact(redis, Facts.REDIS_CONFIG + "latency-monitor-threshold");
        return !events.isEmpty() || (threshold != null && !threshold.equals("0"));
    }

    /** Share of the window's time within a second of one of these moments. */
    double covered(List<Moment> moments) {
        long until = Long.MIN_VALUE;
        long covered = 0;
        for (Moment moment : moments) {
            long from = Math.max(until, moment.atMillis() - SAME_SECOND_MILLIS - moment.precisionMillis());
            long to = moment.atMillis() + SAME_SECOND_MILLIS + moment.precisionMillis();
            covered += Math.max(0, to - from);
            until = Math.max(until, to);
        }
        return Math.min(
                1, (double) covered / Math.max(1, window.size() * window.axis().stepMillis()));
    }

    static Moment last(List<Moment> moments) {
        return moments.get(moments.size() - 1);
    }

    /** The first moment of the last run without a pause of more than half a minute. */
    static Moment episodeStart(List<Moment> moments, long pauseMillis) {
        int start = moments.size() - 1;
        while (start > 0
                && moments.get(start).atMillis() - moments.get(start - 1).atMillis() <= pauseMillis) {
            start--;
        }
        return moments.get(start);
    }

    static int episodes(List<Moment> moments, long pauseMillis) {
        int episodes = moments.isEmpty() ? 0 : 1;
        for (int i = 1; i < moments.size(); i++) {
            episodes += moments.get(i).atMillis() - moments.get(i - 1).atMillis() > pauseMillis ? 1 : 0;
        }
        return episodes;
    }
}
