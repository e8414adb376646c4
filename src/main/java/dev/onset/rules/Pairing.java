package dev.onset.rules;

import dev.onset.timeline.Change;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Statistics;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which effects followed which causes, how often that happened, and whether chance would do the same.
 */
final class Pairing {
    private static final double CHANCE = 0.05;
    private static final double MOST_COUNTER_EXAMPLES = 0.2;
    private static final int FULL_BASELINE = 12;
    private static final int DOSE_PAIRS = 5;
    private static final double DOSE_CORRELATION = 0.3;

    /** A cause with the effect that it led to. */
    record Pair(Change cause, Change effect, Order order) {
        double leadSeconds() {
            return Math.max(0, (effect.toMillis() - cause.toMillis()) / 1e3);
        }
    }

    private final Window window;
    private final List<Change> causes;
    private final List<Change> effects;
    private final long leadMillis;
    private final List<Pair> pairs = new ArrayList<>();
    private int counterExamples;

    private Pairing(Window window, List<Change> causes, List<Change> effects, int leadRuleSteps) {
        this.window = window;
        this.causes = causes;
        this.effects = effects;
        leadMillis = window.axis().millis(leadRuleSteps);
        effects.forEach(this::pair);
    }

    /**
     * @param leadRuleSteps how many steps of 15 s the cause may lie before the effect
     */
    static Pairing of(Window window, List<Change> causes, List<Change> effects, int leadRuleSteps) {
        return new Pairing(window, causes, effects, leadRuleSteps);
    }

    static Onset onset(Change change) {
        return new Onset(
                change.series().scope(),
                change.series().signal(),
                change.series().part(),
                change.fromMillis(),
                change.toMillis());
    }

    private void pair(Change effect) {
        Pair best = null;
        boolean later = false;
        for (Change cause : causes) {
            Order order = onset(cause).order(onset(effect));
            long lead = effect.fromMillis() - cause.toMillis();
            if (order != Order.AFTER && lead <= leadMillis) {
                best = new Pair(cause, effect, order);
            }
            later |= order == Order.AFTER && cause.fromMillis() - effect.toMillis() <= leadMillis;
        }
        if (best != null) {
            pairs.add(best);
        } else if (later) {
            counterExamples++;
        }
    }

    List<Pair> pairs() {
        return pairs;
    }

    /** The newest pair, whose effect may still go on. */
    @Nullable
    Pair latest() {
        return pairs.isEmpty() ? null : pairs.get(pairs.size() - 1);
    }

    boolean contradicted() {
        return counterExamples > MOST_COUNTER_EXAMPLES * effects.size();
    }

    int counterExamples() {
        return counterExamples;
    }

    /** Mechanism taken for granted: how sure the order and the repetition make it. */
    Confidence confidence() {
        Repetition repetition = repetition();
        boolean visible = repetition.together() * 2 <= repetition.followed();
        boolean grounded = pairs.stream()
                .allMatch(pair -> pair.effect().baseline() >= window.axis().steps(FULL_BASELINE));
        boolean often = repetition.followed() >= 3 && repetition.chance() < CHANCE && !repetition.equalPeriods();
        return often && visible && grounded && dosed() && counterExamples == 0
                ? Confidence.CONFIRMED
                : Confidence.LIKELY;
    }

    /** With five pairs and more: larger causes must go with deeper effects. */
    private boolean dosed() {
        if (pairs.size() < DOSE_PAIRS) {
            return true;
        }
        double correlation = Statistics.rankCorrelation(
                pairs.stream().mapToDouble(pair -> pair.cause().extreme()).toArray(),
                pairs.stream()
                        .mapToDouble(
                                pair -> pair.effect().base() - pair.effect().extreme())
                        .toArray());
        // Equal doses have no ranks to compare, and say nothing.
        return Double.isNaN(correlation) || correlation > DOSE_CORRELATION;
    }

    Repetition repetition() {
        int together = (int)
                pairs.stream().filter(pair -> pair.order() == Order.TOGETHER).count();
        int before = pairs.size() - together;
        boolean equal = equalPeriods();
        // An order inside one step counts half; series of the same period coincide only once.
        int tries = equal ? 1 : effects.size();
        int hits = equal ? Math.min(1, before) : before + together / 2;
        double chance = tries < 3 ? 1 : Statistics.binomialTail(tries, hits, covered());
        return new Repetition(
                causes.size(),
                effects.size(),
                pairs.size(),
                together,
                counterExamples,
                Statistics.median(pairs.stream().mapToDouble(Pair::leadSeconds).toArray()),
                chance,
                equal);
    }

    /** Share of judged steps that lie in the lead window of some cause: where an effect would land by chance. */
    private double covered() {
        boolean[] steps = new boolean[window.size()];
        int leadSteps = (int) (leadMillis / window.axis().stepMillis());
        for (Change cause : causes) {
            Arrays.fill(steps, cause.start(), Math.min(window.size(), cause.start() + leadSteps + 1), true);
        }
        int judged = 0;
        int inside = 0;
        for (int i = 0; i < steps.length; i++) {
            if (!window.masked(i, Mask.RESTART) && !window.masked(i, Mask.GAP)) {
                judged++;
                inside += steps[i] ? 1 : 0;
            }
        }
        return judged == 0 ? 1 : (double) inside / judged;
    }

    private boolean equalPeriods() {
        return periodic(causes) && periodic(effects);
    }

    private static boolean periodic(List<Change> changes) {
        if (changes.size() < 3) {
            return false;
        }
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (int i = 1; i < changes.size(); i++) {
            int distance = changes.get(i).start() - changes.get(i - 1).start();
            least = Math.min(least, distance);
            most = Math.max(most, distance);
        }
        return most - least <= 2;
    }
}
