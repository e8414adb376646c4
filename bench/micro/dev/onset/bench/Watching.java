package dev.onset.bench;

import dev.onset.rules.Judgement;
import dev.onset.rules.RuleBook;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.sources.AnswerReader;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One group of a hundred mounts with its accelerators, watched for as long as is kept. */
final class Watching {
    static final int MOUNTS = 100;
    static final int STEPS = 480;

    private final Answers answers = new Answers();
    private final AnswerReader reader = new AnswerReader(MetricDictionary.STANDARD);
    private final RuleBook rules = new RuleBook();
    final Timeline timeline = Timeline.of(TimeAxis.of(Duration.ofMillis(Answers.STEP_MILLIS)), 1);
    private long step;

    Watching() throws IOException {}

    /** Reads the answers of the next step. */
    List<Scrape> read(int mounts) {
        List<Scrape> scrapes = new ArrayList<>();
        for (int mount = 0; mount < mounts; mount++) {
            scrapes.add(reader.read(answers.of(mount, step)));
        }
        scrapes.add(reader.read(Answers.accelerators(0, step)));
        return scrapes;
    }

    /** Places what was read, and closes the step. */
    void place(List<Scrape> scrapes) {
        scrapes.forEach(timeline::accept);
        timeline.close(Answers.FIRST_MILLIS / Answers.STEP_MILLIS + step);
        step++;
    }

    void watch(int steps, int mounts) {
        for (int i = 0; i < steps; i++) {
            place(read(mounts));
        }
    }

    List<Judgement> judge() {
        return rules.judge(timeline);
    }

    /** How many cells of the timeline belong to one step. */
    int cells() {
        int[] cells = {0};
        for (ScopeKind kind : ScopeKind.values()) {
            timeline.scopes(kind).forEach(scope -> timeline.latest(scope, (about, signal, part, value) -> cells[0]++));
        }
        return cells[0];
    }
}
