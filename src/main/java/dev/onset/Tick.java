package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Incidents;
import dev.onset.rules.Judgement;
import dev.onset.rules.RuleBook;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scrape;
import dev.onset.sources.Answer;
import dev.onset.sources.AnswerReader;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One tick from left to right: answers are read into signals, signals are placed on the timeline, rules judge the
 * windows, judgements move incidents. The same for live answers and for recorded ones.
 */
final class Tick {
    private final AnswerReader reader;
    private final RuleBook rules = new RuleBook();
    private final Timeline timeline;
    private final Incidents incidents;
    private List<Judgement> judgements = List.of();

    Tick(TimeAxis axis, double floorScale, MetricDictionary dictionary, @Nullable String recording) {
        reader = new AnswerReader(dictionary);
        timeline = Timeline.of(axis, floorScale);
        incidents = new Incidents(axis, recording);
    }

    void resume(Collection<Diagnosis> unresolved) {
        incidents.resume(unresolved);
    }

    Scrape take(Answer answer) {
        Scrape scrape = reader.read(answer);
        timeline.accept(scrape);
        return scrape;
    }

    /** Closes a step once its answers are in. */
    Incidents.Outcome close(long step) {
        timeline.close(step);
        judgements = rules.judge(timeline);
        long stepEnd = timeline.axis().startMillis(step + 1);
        // Time is that of the newest answer, so that a replay opens what the live run opened, when it opened it.
        return incidents.next(judgements, timeline::window, stepEnd, timeline.knownUntilMillis());
    }

    Timeline timeline() {
        return timeline;
    }

    RuleBook rules() {
        return rules;
    }

    /** Of the last closed step. */
    List<Judgement> judgements() {
        return judgements;
    }

    /** Hundreds of thousands of them with their reasons: kept no longer than somebody looks at them. */
    void forgetJudgements() {
        judgements = List.of();
    }

    List<Diagnosis> current() {
        return incidents.current();
    }
}
