package dev.onset;

import dev.onset.bench.RecordedFleet;
import dev.onset.sources.Answer;
import dev.onset.timeline.TimeAxis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Replays answers that are in memory already: reading them, the timeline, the rules, the incidents. */
public final class ReplayBench {
    private static final int ROUNDS = 7;

    private ReplayBench() {}

    public static void main(String[] args) throws IOException {
        int mounts = Integer.parseInt(args[0]);
        int steps = Integer.parseInt(args[1]);
        RecordedFleet recorded = new RecordedFleet();
        List<Answer> answers = recorded.answers(mounts, steps);
        double best = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long from = System.nanoTime();
            Replay replay = new Replay(TimeAxis.of(Duration.ofSeconds(15)), 0, 1, "bench", outcome -> {});
            answers.forEach(replay::take);
            replay.finish();
            best = Math.max(best, recorded.samples(answers) / ((System.nanoTime() - from) / 1e9));
        }
        System.out.println("{\"samplesPerSecond\": " + best + "}");
    }
}
