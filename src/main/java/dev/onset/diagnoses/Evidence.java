package dev.onset.diagnoses;

import dev.onset.rules.Lane;
import dev.onset.signals.Moment;
import java.util.List;
import java.util.Map;

/**
 * A copy of the series behind a diagnosis, so that its charts can be drawn long after the timeline moved on.
 *
 * @param stepMillis length of a step
 * @param startMillis start of the first step, epoch milliseconds
 * @param lanes one per series, all of the same length
 * @param moments Redis events of the window with their own times
 * @param masks name of a mask to the indices of the steps in which it was set
 */
public record Evidence(
        long stepMillis, long startMillis, List<Track> lanes, List<Moment> moments, Map<String, List<Integer>> masks) {
    public static final Evidence NONE = new Evidence(0, 0, List.of(), List.of(), Map.of());

    public Evidence {
        lanes = List.copyOf(lanes);
        moments = List.copyOf(moments);
        masks = Map.copyOf(masks);
    }

    /**
     * One series.
     *
     * @param lane what it is
     * @param values in the signal's unit; NaN where there is a gap
     * @param gaps index of a step to the name of its gap's reason
     */
    public record Track(Lane lane, double[] values, Map<Integer, String> gaps) {}
}
