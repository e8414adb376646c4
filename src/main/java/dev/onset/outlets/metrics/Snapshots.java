package dev.onset.outlets.metrics;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.State;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Diagnoses and signals as of the last tick. They come and go with what is watched, so they are replaced as a whole
 * instead of being registered one by one: a series whose step is a gap is simply not there. Nothing is built before
 * somebody asks, and nothing beyond the limit.
 */
final class Snapshots implements MultiCollector {
    /** Label values come from exporters; none needs to be longer. */
    private static final int LONGEST = 200;
    /** More groups than anyone has; beyond, only the worst skew is told. */
    private static final int MOST_GROUPS = 200;

    private final int most;
    private final boolean signals;
    private volatile LastStep last = LastStep.NONE;
    private LastStep collectedOf = LastStep.NONE;
    private MetricSnapshots collected;

    Snapshots(int most, boolean signals) {
        this.most = most;
        this.signals = signals;
        collected = collect(last);
    }

    void replace(LastStep next) {
        last = next;
    }

    LastStep last() {
        return last;
    }

    @Override
    public synchronized MetricSnapshots collect() {
        LastStep now = last;
        if (collectedOf != now) {
            collected = collect(now);
            collectedOf = now;
        }
        return collected;
    }

    private MetricSnapshots collect(LastStep step) {
        Room room = new Room(most);
        Table active = new Table("onset_diagnosis_active", "1 while a diagnosis is open.", room);
        Table lost = new Table(
                "onset_diagnosis_lost_accelerator_seconds",
                "Accelerator time an open diagnosis has cost so far.",
                room);
        Table values = new Table("onset_signal", "Value in the last closed step; absent where there is none.", room);
        List<Diagnosis> open = step.current().stream()
                .filter(diagnosis -> diagnosis.state() == State.OPEN || diagnosis.state() == State.EASING)
                .toList();
        open.forEach(diagnosis -> active.put(1, () -> labels(diagnosis)));
        open.forEach(diagnosis -> lost.put(diagnosis.cost().acceleratorSeconds(), () -> labels(diagnosis)));
        int[] series = {0};
        step.values((scope, signal, part, value) -> {
            series[0]++;
            if (signals && !Double.isNaN(value)) {
                values.put(value, () -> labels(scope, signal, part));
            }
        });
        return MetricSnapshots.of(
                active.snapshot(),
                lost.snapshot(),
                values.snapshot(),
                skews(step.skews()),
                single(
                        "onset_scrape_skew_worst_seconds",
                        "How far apart the requests of the group began that does worst.",
                        step.skews().values().stream()
                                .mapToDouble(Double::doubleValue)
                                .max()
                                .orElse(Double.NaN)),
                single("onset_series_left_out", "Series beyond onset.metrics.max-series.", room.leftOut),
                single("onset_timeline_series", "Series that the timeline keeps.", series[0]));
    }

    private static GaugeSnapshot skews(Map<String, Double> skews) {
        Table table = new Table(
                "onset_scrape_skew_seconds", "How far apart the requests of a group began.", new Room(MOST_GROUPS));
        skews.forEach((group, skew) -> table.put(skew, () -> Labels.of("group", clip(group))));
        return table.snapshot();
    }

    private static GaugeSnapshot single(String name, String help, double value) {
        Table table = new Table(name, help, new Room(1));
        table.put(value, () -> Labels.EMPTY);
        return table.snapshot();
    }

    private static Labels labels(Diagnosis diagnosis) {
        Scope scope = diagnosis.scope();
        return Labels.of(
                "rule", clip(diagnosis.rule()),
                "severity", diagnosis.finding().severity().name(),
                "confidence", diagnosis.finding().confidence().name().toLowerCase(Locale.ROOT),
                "group", clip(scope.group()),
                "scope", clip(scope.toString()));
    }

    private static Labels labels(Scope scope, Signal signal, String part) {
        return Labels.of(
                "signal", signal.id(),
                "scope_kind", scope.kind().name().toLowerCase(Locale.ROOT),
                "group", clip(scope.group()),
                "scope", clip(scope.id()),
                "part", clip(part));
    }

    private static String clip(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST - 2)) ? LONGEST - 2 : LONGEST - 1;
        return text.substring(0, end) + "…";
    }

    /** How many series may still be shown, and how many found no place. */
    private static final class Room {
        int left;
        int leftOut;

        Room(int left) {
            this.left = left;
        }
    }

    private interface LabelMaker {
        Labels make();
    }

    /** One gauge; of two series that became equal by clipping the first is kept. */
    private static final class Table {
        private final GaugeSnapshot.Builder builder;
        private final Room room;
        private final Set<Labels> seen = new HashSet<>();

        Table(String name, String help, Room room) {
            builder = GaugeSnapshot.builder().name(name).help(help);
            this.room = room;
        }

        void put(double value, LabelMaker maker) {
            if (room.left == 0) {
                room.leftOut++;
                return;
            }
            Labels labels = maker.make();
            if (seen.add(labels)) {
                room.left--;
                builder.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(labels)
                        .value(value)
                        .build());
            }
        }

        GaugeSnapshot snapshot() {
            return builder.build();
        }
    }
}
