package dev.onset.diagnoses;

import dev.onset.diagnoses.Evidence.Track;
import dev.onset.rules.Lane;
import dev.onset.signals.Moment;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Copies the series behind a finding out of the timeline. */
final class EvidenceTaker {
    private static final int STEPS_BEFORE = 40;
    private static final int MOST_STEPS = 720;
    private static final int MOST_MOMENTS = 400;
    private static final double PING_WORTH_SHOWING_SECONDS = 0.010;

    private EvidenceTaker() {}

    static Evidence take(Window window, List<Lane> lanes, long firstSeenMillis) {
        int onset = Math.max(0, window.index(firstSeenMillis));
        int from = Math.max(Math.max(0, onset - window.axis().steps(STEPS_BEFORE)), window.size() - MOST_STEPS);
        return cut(window, lanes, from, window.size());
    }

    /** The steps {@code [from, to)} of the lanes. */
    static Evidence cut(Window window, List<Lane> lanes, int from, int to) {
        List<Track> tracks = new ArrayList<>();
        for (Lane lane : lanes) {
            tracks.add(track(window.series(lane.scope(), lane.signal(), lane.part()), lane, from, to));
        }
        return new Evidence(
                window.axis().stepMillis(),
                window.startMillis(from),
                tracks,
                moments(window, from, to),
                masks(window, from, to));
    }

    private static Track track(Series series, Lane lane, int from, int to) {
        double[] values = new double[to - from];
        Map<Integer, String> gaps = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            values[i] = series.at(from + i);
            if (Double.isNaN(values[i])) {
                gaps.put(i, series.gap(from + i).name());
            }
        }
        return new Track(lane, values, gaps);
    }

    private static List<Moment> moments(Window window, int from, int to) {
        long end = window.startMillis(to);
        List<Moment> moments = new ArrayList<>();
        for (Moment.Kind kind : Moment.Kind.values()) {
            double least = kind == Moment.Kind.PING ? PING_WORTH_SHOWING_SECONDS : Double.NEGATIVE_INFINITY;
            for (Moment moment : window.moments(kind, least)) {
                if (moment.atMillis() >= window.startMillis(from) && moment.atMillis() < end) {
                    moments.add(moment);
                }
            }
        }
        return moments.size() > MOST_MOMENTS ? moments.subList(moments.size() - MOST_MOMENTS, moments.size()) : moments;
    }

    private static Map<String, List<Integer>> masks(Window window, int from, int to) {
        Map<String, List<Integer>> masks = new LinkedHashMap<>();
        for (Mask mask : Mask.values()) {
            for (int i = from; i < to; i++) {
                if (window.masked(i, mask)) {
                    masks.computeIfAbsent(mask.name(), name -> new ArrayList<>())
                            .add(i - from);
                }
            }
        }
        return masks;
    }
}
