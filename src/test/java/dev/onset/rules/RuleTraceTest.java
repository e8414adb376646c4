package dev.onset.rules;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule on stories of its own: it fires, it stays quiet on the look-alikes, it is unsure when a signal is gone. */
class RuleTraceTest {
    static final Path TRACES = Path.of("src/test/resources/traces");

    static Stream<Trace> traces() throws IOException {
        try (Stream<Path> files = Files.walk(TRACES)) {
            return files.filter(file -> file.toString().endsWith(".trace")).sorted().toList().stream()
                    .map(Trace::read);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("traces")
    void judges_as_the_trace_expects(Trace trace) {
        Rule rule = RuleBook.RULES.stream()
                .filter(candidate -> candidate.card().id().equals(trace.rule()))
                .findFirst()
                .orElseThrow();
        List<Verdict> verdicts = new Stage(trace).verdicts(rule);
        Verdict last = verdicts.get(verdicts.size() - 1);

        assertThat(named(last)).as(() -> explained(last)).isEqualTo(trace.expect);
        if (trace.expect.equals("quiet")) {
            assertThat(verdicts)
                    .extracting(RuleTraceTest::named)
                    .as("at every step")
                    .noneMatch(name -> name.startsWith("found"));
        }
        if (last instanceof Verdict.Found found) {
            if (!trace.order.isEmpty()) {
                List<Onset> onsets = found.finding().onsets();
                assertThat(onsets).hasSizeGreaterThan(1);
                assertThat(onsets.get(0).order(onsets.get(1)))
                        .as(onsets.toString())
                        .isEqualTo(Order.valueOf(trace.order.toUpperCase(ROOT)));
            }
            texts(found.finding()).forEach(RuleTraceTest::isWellFormed);
        }
        for (Trace.Says says : trace.says) {
            String text = text(says.where(), last);
            if (says.where().startsWith("no-")) {
                assertThat(text).doesNotContain(says.what());
            } else {
                assertThat(text).as(says.where()).contains(says.what());
            }
        }
    }

    /** "Why no diagnosis?" of a past moment is what was said then. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("traces")
    void says_later_about_a_step_what_it_said_then(Trace trace) {
        Rule rule = RuleBook.RULES.stream()
                .filter(candidate -> candidate.card().id().equals(trace.rule()))
                .findFirst()
                .orElseThrow();
        Stage stage = new Stage(trace);
        List<Verdict> then = stage.verdicts(rule);
        // Targets are as they are now, and moments of a step's end are told in the next one.
        boolean comparable = rule.card().scope() != ScopeKind.TARGET && trace.moments.isEmpty();
        for (int step = 0; comparable && step < then.size(); step++) {
            assertThat(named(stage.later(rule, step))).as("step %d", step).isEqualTo(named(then.get(step)));
        }
    }

    private static String named(Verdict verdict) {
        return verdict.fold(
                quiet -> "quiet",
                found -> "found " + found.finding().severity() + " "
                        + found.finding().confidence().name().toLowerCase(ROOT),
                unsure -> "unsure");
    }

    private static String explained(Verdict verdict) {
        return verdict.fold(
                quiet -> lines(quiet.checks(), Check::toString),
                found -> found.finding().summary().en() + "\n"
                        + lines(found.finding().checks(), Check::toString),
                unsure -> lines(unsure.missing(), Reason::toString));
    }

    private static String text(String where, Verdict verdict) {
        if (verdict instanceof Verdict.Unsure unsure) {
            return reasons(unsure.missing());
        }
        if (verdict instanceof Verdict.Quiet quiet) {
            return lines(quiet.checks(), Check::toString);
        }
        Finding finding = ((Verdict.Found) verdict).finding();
        return switch (where) {
            case "rules-out" -> reasons(finding.ruledOut());
            case "unknown" -> reasons(finding.unknown());
            case "remedy", "no-remedy" ->
                lines(
                        finding.remedies(),
                        remedy -> remedy.kind() + " " + remedy.title().en() + "\n" + remedy.command());
            case "sub-cause" -> finding.subCauses().toString();
            default ->
                finding.summary().en() + "\n" + finding.detail().en() + "\n"
                        + finding.whyNotSurer().en();
        };
    }

    private static String reasons(List<Reason> reasons) {
        return lines(reasons, reason -> reason.what().en() + ": " + reason.why().en());
    }

    private static <T> String lines(List<T> values, Function<T, String> line) {
        return String.join("\n", values.stream().map(line).toList());
    }

    static Stream<Text> texts(Finding finding) {
        return Stream.of(
                        Stream.of(finding.summary(), finding.detail(), finding.whyNotSurer()),
                        finding.ruledOut().stream().flatMap(reason -> Stream.of(reason.what(), reason.why())),
                        finding.unknown().stream().flatMap(reason -> Stream.of(reason.what(), reason.why())),
                        finding.remedies().stream().flatMap(r -> Stream.of(r.title(), r.effect(), r.risk(), r.check())),
                        finding.checks().stream().map(Check::condition))
                .flatMap(stream -> stream);
    }

    /** Both languages are there, no placeholder is left over, no number is missing without a dash. */
    private static void isWellFormed(Text text) {
        assertThat(text.en().isBlank()).as(text.toString()).isEqualTo(text.zh().isBlank());
        assertThat(text.en() + text.zh()).doesNotContain("NaN", "$s", "$d", "null", "Infinity");
    }
}
