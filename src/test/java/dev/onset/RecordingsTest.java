package dev.onset;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.Labelled.Said;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.rules.Confidence;
import dev.onset.rules.Onset;
import dev.onset.rules.Order;
import dev.onset.rules.Severity;
import dev.onset.signals.Signal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real incidents through everything. The recordings were taken every 5 s, so a step of 15 s can begin at three phases:
 * each is a reading of its own.
 */
class RecordingsTest {
    private static final double MOST_SECONDS_TO_OPEN = 90;
    private static final Set<Signal> EFFECTS = Set.of(Signal.UTILISATION, Signal.RTT_MAX);
    /** How late a true cause may show in its first signal: caches and buffers in between take it up. */
    private static final long SHOWS_WITHIN_MILLIS = 15_000;

    private static final List<String> TABLE = Collections.synchronizedList(new ArrayList<>());

    static Stream<Arguments> readings() {
        return Labelled.all().stream()
                .flatMap(recording -> Stream.of(
                        Arguments.of(recording, 15_000, 0),
                        Arguments.of(recording, 15_000, 5_000),
                        Arguments.of(recording, 15_000, 10_000),
                        Arguments.of(recording, 5_000, 0)));
    }

    @ParameterizedTest(name = "{0}, step {1} ms, phase {2} ms")
    @MethodSource("readings")
    void says_what_is_true_and_nothing_else(Labelled recording, long step, long phase) {
        Said said = recording.replayed(step, phase);
        note(recording, step, phase, said);

        assertThat(said.diagnoses()).as("nothing but what the label allows").allSatisfy(diagnosis -> assertThat(
                        recording.allows(diagnosis))
                .as(RecordingsTest.line(diagnosis))
                .isTrue());
        assertThat(recording.expect()).allSatisfy(group -> assertThat(said.diagnoses())
                .extracting(Diagnosis::rule)
                .as("one of " + group)
                .containsAnyElementsOf(group));
    }

    @ParameterizedTest(name = "{0}, step {1} ms, phase {2} ms")
    @MethodSource("readings")
    void opens_soon_at_likely_with_the_order_and_the_times_that_are_true(Labelled recording, long step, long phase) {
        Said said = recording.replayed(step, phase);
        List<Diagnosis> expected = Stream.concat(said.opened().stream(), said.diagnoses().stream())
                .filter(diagnosis -> recording.expects(diagnosis.rule()))
                .toList();
        for (Diagnosis opened : expected) {
            assertThat(opened.finding().confidence()).isGreaterThanOrEqualTo(Confidence.LIKELY);
            assertThat(secondsToOpen(recording, opened))
                    .as("seconds from the true effect to the opening")
                    .isBetween(0.0, MOST_SECONDS_TO_OPEN);
            effect(opened).ifPresent(effect -> {
                cause(opened).ifPresent(cause -> {
                    assertThat(cause.order(effect)).isIn(Order.BEFORE, Order.TOGETHER);
                    assertThat(recording.causeMillis())
                            .as("true cause against " + cause)
                            .isBetween(cause.fromMillis() - SHOWS_WITHIN_MILLIS, cause.toMillis());
                });
                if (effect.signal() == Signal.UTILISATION) {
                    assertThat(recording.effectMillis())
                            .as("true effect against " + effect)
                            .isBetween(effect.fromMillis() - step, effect.toMillis() + step);
                }
            });
        }
    }

    @ParameterizedTest(name = "{0}, step {1} ms, phase {2} ms")
    @MethodSource("readings")
    void never_says_that_the_effect_came_first(Labelled recording, long step, long phase) {
        assertThat(recording.replayed(step, phase).diagnoses()).allSatisfy(diagnosis -> cause(diagnosis)
                .ifPresent(cause -> effect(diagnosis).ifPresent(effect -> assertThat(cause.order(effect))
                        .as(line(diagnosis))
                        .isNotEqualTo(Order.AFTER))));
    }

    @ParameterizedTest(name = "{0}, step {1} ms, phase {2} ms")
    @MethodSource("readings")
    void claims_no_cause_where_there_was_none(Labelled recording, long step, long phase) {
        boolean caused = recording.expect().stream()
                .flatMap(Set::stream)
                .anyMatch(rule -> !rule.equals("input-pipeline-not-storage"));
        if (!caused) {
            assertThat(recording.replayed(step, phase).diagnoses())
                    .filteredOn(diagnosis -> diagnosis.finding().severity() != Severity.S4)
                    .extracting(diagnosis -> diagnosis.finding().repetition())
                    .containsOnlyNulls();
        }
    }

    static Stream<Arguments> otherSteps() {
        return Labelled.all().stream().flatMap(recording -> Stream.of(10_000, 20_000, 30_000, 60_000)
                .map(step -> Arguments.of(recording, step)));
    }

    @ParameterizedTest(name = "{0}, step {1} ms")
    @MethodSource("otherSteps")
    void says_nothing_wrong_at_any_step_that_can_be_set(Labelled recording, long step) {
        assertThat(recording.replayed(step, 0).diagnoses())
                .allSatisfy(diagnosis -> assertThat(recording.allows(diagnosis))
                        .as(RecordingsTest.line(diagnosis))
                        .isTrue());
    }

    @AfterAll
    static void print() {
        TABLE.stream().sorted().forEach(System.out::println);
    }

    private static Optional<Onset> cause(Diagnosis diagnosis) {
        return diagnosis.finding().onsets().stream()
                .filter(onset -> !EFFECTS.contains(onset.signal()))
                .findFirst();
    }

    private static Optional<Onset> effect(Diagnosis diagnosis) {
        return diagnosis.finding().onsets().stream()
                .filter(onset -> EFFECTS.contains(onset.signal()))
                .findFirst();
    }

    private static double secondsToOpen(Labelled recording, Diagnosis diagnosis) {
        Long effect = recording.effectMillis();
        return effect == null ? Double.NaN : (diagnosis.openedMillis() - effect) / 1e3;
    }

    private static void note(Labelled recording, long step, long phase, Said said) {
        String reading = String.format(ROOT, "%-28s %2d s +%-2d", recording.name(), step / 1000, phase / 1000);
        said.opened().stream()
                .filter(opened -> !opened.rule().equals("redis-durability-unsafe"))
                .forEach(opened -> TABLE.add(reading + " " + line(opened) + opening(recording, opened)));
        if (said.opened().isEmpty()) {
            TABLE.add(reading + " –");
        }
    }

    private static String opening(Labelled recording, Diagnosis opened) {
        return recording.effectMillis() == null
                ? ""
                : String.format(ROOT, ", opened after %.0f s", secondsToOpen(recording, opened));
    }

    private static String line(Diagnosis diagnosis) {
        String order = cause(diagnosis)
                .flatMap(cause -> effect(diagnosis).map(cause::order))
                .map(Order::name)
                .orElse("–");
        return diagnosis.rule() + " " + diagnosis.finding().severity() + " "
                + diagnosis.finding().confidence().name().toLowerCase(ROOT) + " " + order.toLowerCase(ROOT);
    }
}
