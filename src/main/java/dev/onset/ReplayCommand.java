package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.outlets.api.DiagnosisJson;
import dev.onset.rules.Check;
import dev.onset.rules.Judgement;
import dev.onset.rules.Onset;
import dev.onset.rules.Reason;
import dev.onset.rules.RuleBook;
import dev.onset.rules.Verdict;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code replay PATH...}: what the service would have said. 0 when everything was read, 2 for unreadable input. */
final class ReplayCommand {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Options options;
    private final TimeAxis axis;
    private final long phaseMillis;
    private final Locale locale;
    private final PrintStream out;

    private ReplayCommand(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        Duration step = options.duration("step", "15s", Duration.ofSeconds(5), Duration.ofSeconds(60));
        axis = TimeAxis.of(step);
        phaseMillis = options.duration("phase", "0s", Duration.ZERO, step.minusMillis(1))
                .toMillis();
        locale = Locale.forLanguageTag(options.get("lang", "en"));
    }

    static int run(List<String> words, PrintStream out, PrintStream err) {
        try {
            Options options =
                    Options.of(words, "json").allow("step", "phase", "floor-scale", "json", "explain", "lang");
            if (options.others().isEmpty()) {
                throw new Options.Wrong("replay needs at least one recording");
            }
            ReplayCommand command = new ReplayCommand(options, out);
            int worst = 0;
            for (String path : options.others()) {
                worst = Math.max(worst, command.replay(Path.of(path), err));
            }
            out.flush();
            return worst;
        } catch (Options.Wrong e) {
            err.println("onset replay: " + e.getMessage());
            return 2;
        }
    }

    private int replay(Path path, PrintStream err) {
        int worst = 0;
        try {
            for (RecordingReader recording : RecordingReader.at(path)) {
                worst = Math.max(worst, replay(recording, err));
            }
        } catch (RecordingReader.Unreadable e) {
            err.println("onset replay: " + e.getMessage());
            return 2;
        }
        return worst;
    }

    private int replay(RecordingReader recording, PrintStream err) {
        double floorScale = options.number("floor-scale", 1);
        String rule = options.get("explain");
        Replay[] itself = new Replay[1];
        Replay replay =
                new Replay(axis, phaseMillis, floorScale, recording.name(), outcome -> explain(itself[0], rule));
        itself[0] = replay;
        @Nullable String unreadable = null;
        try {
            replay.run(recording);
        } catch (RecordingReader.Unreadable e) {
            unreadable = e.getMessage();
        }
        if (!options.has("json")) {
            out.println("── " + recording.name() + ": " + replay.answers() + " answers, step "
                    + axis.stepMillis() / 1000 + " s");
        }
        replay.diagnoses().forEach(this::print);
        if (!options.has("json") && replay.diagnoses().isEmpty()) {
            out.println("   nothing found");
        }
        if (unreadable != null) {
            err.println("onset replay: " + unreadable);
            return 2;
        }
        return 0;
    }

    private void print(Diagnosis diagnosis) {
        if (options.has("json")) {
            ObjectNode json = JSON.valueToTree(DiagnosisJson.of(diagnosis, locale));
            json.remove("evidence");
            out.println(json);
            return;
        }
        var finding = diagnosis.finding();
        String resolved =
                diagnosis.resolvedMillis() == null ? "still there" : "resolved " + time(diagnosis.resolvedMillis());
        out.println("   " + finding.severity() + " " + diagnosis.rule() + " ("
                + finding.confidence().name().toLowerCase(Locale.ROOT) + ") on "
                + diagnosis.scope().id());
        out.println("      " + finding.summary().in(locale));
        if (!finding.detail().en().isEmpty()) {
            out.println("      " + finding.detail().in(locale));
        }
        out.println("      opened " + time(diagnosis.openedMillis()) + ", " + resolved);
        for (Onset onset : finding.onsets()) {
            out.println("      " + onset.signal().id() + (onset.part().isEmpty() ? "" : " " + onset.part())
                    + " left its baseline between " + time(onset.fromMillis()) + " and " + time(onset.toMillis()));
        }
    }

    /** Why a rule is silent or not, step by step. */
    private void explain(Replay replay, @Nullable String rule) {
        if (rule == null) {
            return;
        }
        var timeline = replay.tick().timeline();
        String at = time(timeline.axis().startMillis(timeline.closedStep()));
        List<Judgement> judgements = replay.tick().judgements().stream()
                .filter(judgement -> judgement.card().id().equals(rule))
                .flatMap(judgement -> RuleBook.judge(timeline.window(judgement.scope())).stream())
                .filter(judgement -> judgement.card().id().equals(rule))
                .toList();
        for (Judgement judgement : judgements) {
            String answer = judgement.verdict().fold(quiet -> "quiet", found -> "found", unsure -> "cannot judge");
            out.println(at + " " + judgement.scope() + ": " + answer);
            List<Check> checks = judgement
                    .verdict()
                    .fold(Verdict.Quiet::checks, found -> found.finding().checks(), unsure -> List.of());
            for (Check check : checks) {
                out.println("   " + (check.met() ? "✓ " : "✗ ")
                        + check.condition().in(locale) + ": " + check.value() + " (" + check.bound() + ")");
            }
            List<Reason> missing =
                    judgement.verdict().fold(quiet -> List.<Reason>of(), found -> List.of(), Verdict.Unsure::missing);
            missing.forEach(reason -> out.println(
                    "   ? " + reason.what().in(locale) + ": " + reason.why().in(locale)));
        }
    }

    private static String time(long millis) {
        return TIME.format(Instant.ofEpochMilli(millis));
    }
}
