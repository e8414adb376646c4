package dev.onset.outlets.metrics;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.State;
import dev.onset.signals.Scope;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Diagnoses and signals as of the last tick. They come and go with what is watched, so they are replaced as a whole
 * instead of being registered one by one: a series whose step is a gap is simply not there.
 */
final class Snapshots implements MultiCollector {
    /** Label values come from exporters; none needs to be longer. */
    private static final int LONGEST = 200;

    private final int most;
    private volatile MetricSnapshots now = MetricSnapshots.of();
    private volatile int leftOut;

    Snapshots(int most) {
        this.most = most;
    }

    @Override
    public MetricSnapshots collect() {
        return now;
    }

    /** How many series the limit kept away in the last tick. */
    int leftOut() {
        return leftOut;
    }

    void replace(List<Diagnosis> current, List<Value> values) {
        Table active = new Table();
        Table lost = new Table();
        Table signals = new Table();
        for (Diagnosis diagnosis : current) {
            if (diagnosis.state() == State.OPEN || diagnosis.state() == State.EASING) {
                Labels labels = labels(diagnosis);
                active.put(labels, 1);
                lost.put(labels, diagnosis.cost().acceleratorSeconds());
            }
        }
        for (Value value : values) {
            if (!Double.isNaN(value.value())) {
                signals.put(labels(value), value.value());
            }
        }
        int room = most;
        GaugeSnapshot first = active.snapshot("onset_diagnosis_active", "1 while a diagnosis is open.", room);
        room -= first.getDataPoints().size();
        GaugeSnapshot second = lost.snapshot(
                "onset_diagnosis_lost_accelerator_seconds",
                "Accelerator time an open diagnosis has cost so far.",
                room);
        room -= second.getDataPoints().size();
        GaugeSnapshot third =
                signals.snapshot("onset_signal", "Value in the last closed step; absent where there is none.", room);
        room -= third.getDataPoints().size();
        leftOut = active.size() + lost.size() + signals.size() - (most - room);
        now = MetricSnapshots.of(first, second, third);
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

    private static Labels labels(Value value) {
        Scope scope = value.scope();
        return Labels.of(
                "signal", value.signal().id(),
                "scope_kind", scope.kind().name().toLowerCase(Locale.ROOT),
                "group", clip(scope.group()),
                "scope", clip(scope.id()),
                "part", clip(value.part()));
    }

    private static String clip(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST - 2)) ? LONGEST - 2 : LONGEST - 1;
        return text.substring(0, end) + "…";
    }

    /** Values by labels; two that became equal by clipping count as one. */
    private static final class Table {
        private final Map<Labels, Double> values = new TreeMap<>();

        void put(Labels labels, double value) {
            values.put(labels, value);
        }

        int size() {
            return values.size();
        }

        GaugeSnapshot snapshot(String name, String help, int room) {
            GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
            values.entrySet().stream()
                    .limit(Math.max(0, room))
                    .forEach(entry -> builder.dataPoint(GaugeDataPointSnapshot.builder()
                            .labels(entry.getKey())
                            .value(entry.getValue())
                            .build()));
            return builder.build();
        }
    }
}
