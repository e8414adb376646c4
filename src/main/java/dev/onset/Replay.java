package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Incidents;
import dev.onset.signals.MetricDictionary;
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
            recording.read(this::take);
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
        boolean early = Math.floorMod(answer.atMillis(), axis.stepMillis()) < phaseMillis;
        if (!answer.kind().decidesUp() || (!early && firstOfStep(answer, at))) {
            tick.take(answer);
        }
    }

    void finish() {
        if (step != Long.MIN_VALUE) {
            closeUpTo(step);
            step = Long.MIN_VALUE;
        }
    }

    private boolean firstOfStep(Answer answer, long at) {
        String key = answer.target().group() + "/" + answer.target().kind() + "/"
                + answer.target().address() + "/" + answer.kind();
        Long before = taken.put(key, at);
        return before == null || before < at;
    }

    private void closeUpTo(long last) {
        for (long s = step; s <= last; s++) {
            Incidents.Outcome outcome = tick.close(s);
            outcome.touched().forEach(diagnosis -> diagnoses.put(diagnosis.id(), diagnosis));
            sink.accept(outcome);
        }
    }
}
