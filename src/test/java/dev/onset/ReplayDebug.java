package dev.onset;

import dev.onset.rules.Check;
import dev.onset.rules.Judgement;
import dev.onset.rules.Verdict;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.nio.file.Path;

@SuppressWarnings("all")
class ReplayDebug {
    public static void main(String[] args) throws Exception {
        long step = Long.parseLong(args[0]) * 1000;
        long phase = Long.parseLong(args[1]) * 1000;
        String explain = args[2];
        for (int i = 3; i < args.length; i++) {
            for (RecordingReader r : RecordingReader.at(Path.of(args[i]))) {
                long[] t0 = {0};
                Replay[] replay = new Replay[1];
                replay[0] = new Replay(new TimeAxis(step), phase, 1.0, r.name(), outcome -> {
                    outcome.changes()
                            .forEach(c -> System.out.printf(
                                    "  +%.0fs %s %s %s %s %s%n",
                                    (c.diagnosis().resolvedMillis() != null
                                                    ? c.diagnosis().resolvedMillis() - t0[0]
                                                    : c.diagnosis().lastSeenMillis() - t0[0])
                                            / 1e3,
                                    c.kind(),
                                    c.diagnosis().rule(),
                                    c.diagnosis().finding().severity(),
                                    c.diagnosis().finding().confidence(),
                                    c.diagnosis().scope()));
                    if (!explain.equals("-")) {
                        for (Judgement j : replay[0].tick().judgements()) {
                            if (j.card().id().equals(explain)) {
                                System.out.println("   @"
                                        + (replay[0]
                                                                .tick()
                                                                .timeline()
                                                                .axis()
                                                                .startMillis(replay[0]
                                                                        .tick()
                                                                        .timeline()
                                                                        .closedStep())
                                                        - t0[0])
                                                / 1000
                                        + " " + j.scope() + " "
                                        + j.verdict().getClass().getSimpleName());
                                if (j.verdict() instanceof Verdict.Quiet q) {
                                    for (Check c : q.checks())
                                        System.out.println(
                                                "       " + c.condition().en() + " " + c.value() + " " + c.bound() + " "
                                                        + c.met());
                                } else if (j.verdict() instanceof Verdict.Unsure u)
                                    System.out.println("       " + u.missing());
                            }
                        }
                    }
                });
                System.out.println("== " + r.name());
                r.read(a -> {
                    if (t0[0] == 0) t0[0] = a.atMillis();
                    replay[0].take(a);
                });
                replay[0].finish();
                replay[0]
                        .diagnoses()
                        .forEach(d -> System.out.println("  * " + d.rule() + " " + d.state() + " opened +"
                                + (d.openedMillis() - t0[0]) / 1000 + " res "
                                + (d.resolvedMillis() == null ? null : (d.resolvedMillis() - t0[0]) / 1000) + " cost "
                                + d.cost() + "\n      " + d.finding().summary().en() + "\n      "
                                + d.finding().detail().en() + " | "
                                + d.finding().whyNotSurer().en() + "\n      "
                                + d.finding().onsets().stream()
                                        .map(o -> o.signal().id() + "[" + (o.fromMillis() - t0[0]) / 1000 + ","
                                                + (o.toMillis() - t0[0]) / 1000 + "]")
                                        .toList()
                                + " " + d.finding().subCauses()));
            }
        }
    }
}
