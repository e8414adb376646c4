package dev.onset.diagnoses;

import dev.onset.rules.Lane;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import dev.onset.timeline.Series;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Series cut out of the timeline for showing. */
public final class Tracks {
    private Tracks() {}

    /**
     * @param signals which; all of the scope's kind when empty
     * @return empty when there is no such scope, or nothing of it in that time
     */
    public static Optional<Evidence> of(
            Timeline timeline, Scope scope, List<Signal> signals, long fromMillis, long toMillis) {
        if (!timeline.has(scope) || timeline.closedStep() == Long.MIN_VALUE) {
            return Optional.empty();
        }
        Window window = timeline.window(scope);
        int from = Math.max(0, window.index(fromMillis));
        int to = Math.min(window.size(), window.index(toMillis) + 1);
        if (to <= from) {
            return Optional.empty();
        }
        List<Signal> wanted = signals.isEmpty()
                ? Arrays.stream(Signal.values())
                        .filter(signal -> signal.scope() == scope.kind())
                        .toList()
                : signals;
        List<Lane> lanes = new ArrayList<>();
        for (Signal signal : wanted) {
            List<String> parts = new ArrayList<>(window.parts(signal));
            parts.add("");
            for (String part : parts) {
                Series series = window.series(signal, part);
                if (series.known()) {
                    lanes.add(new Lane(series.scope(), signal, part, Double.NaN, Double.NaN, series.latest()));
                }
            }
        }
        return Optional.of(EvidenceTaker.cut(window, lanes, from, to));
    }
}
