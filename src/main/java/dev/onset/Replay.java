package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Incidents;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Drives ticks from a recording instead of a clock. Scrapes and INFO are thinned to one per step; what is probed finer
 * than the step when live (pings, latency events, the slow log) all counts.
 */
final class Replay {
    private final TimeAxis axis;
    private final long phaseMillis;
    private final Tick tick;
    private final Consumer<Incidents.Outcome> sink;
    private final Map<String, Diagnosis> diagnoses = new LinkedHashMap<>();
    private final Map<String, Long> taken = new HashMap<>();
    private long step = Long.MIN_VALUE;
    private long answers;

    /**
     * @param phaseMillis scrapes that begin earlier than this after a step's boundary are left out
     * @param sink what each tick changed
     */
    Replay(TimeAxis axis, long phaseMillis, double floorScale, String name, Consumer<Incidents.Outcome> sink) {
        this.axis = axis;
        this.phaseMillis = phaseMillis;
        this.sink = sink;
        tick = new Tick(axis, floorScale, MetricDictionary.STANDARD, name);
    }

    /**
     * Reads the whole recording.
     *
     * @throws RecordingReader.Unreadable at a line that cannot be read; everything before it was judged
     */
    void run(RecordingReader recording) throws RecordingReader.Unreadable {
        try {
            recording.read(this::counts, this::take);
        } finally {
            finish();
        }
    }

    /** Every diagnosis as it stood last, in the order in which they opened. */
    Collection<Diagnosis> diagnoses() {
        return diagnoses.values();
    }

    Tick tick() {
        return tick;
    }

    long answers() {
        return answers;
    }

    void take(Answer answer) {
        answers++;
        long at = axis.step(answer.atMillis());
        if (step != Long.MIN_VALUE && at > step) {
            closeUpTo(at - 1);
        }
        step = Math.max(step, at);
        if (counts(answer.target(), answer.kind(), answer.atMillis())) {
            taken.put(key(answer.target(), answer.kind()), at);
            tick.take(answer);
        }
    }

    /** Whether it is the first of its step, or of a kind that is probed finer. */
    private boolean counts(Target target, Answer.Kind kind, long atMillis) {
        if (!kind.decidesUp()) {
            return true;
        }
        boolean early = Math.floorMod(atMillis, axis.stepMillis()) < phaseMillis;
        Long before = taken.get(key(target, kind));
        return !early && (before == null || before < axis.step(atMillis));
    }

    private static String key(Target target, Answer.Kind kind) {
        return target.group() + "/" + target.kind() + "/" + target.address() + "/" + kind;
    }

    void finish() {
        if (step != Long.MIN_VALUE) {
            closeUpTo(step);
            step = Long.MIN_VALUE;
        }
    }

    private void closeUpTo(long last) {
        for (long s = step; s <= last; s++) {
            Incidents.Outcome outcome = tick.close(s);
            outcome.touched().forEach(diagnosis -> diagnoses.put(diagnosis.id(), diagnosis));
            sink.accept(outcome);
        }
    }
}
