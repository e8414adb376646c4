package dev.onset.rules;

import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/** Collects the conditions of a rule as they are tested. */
final class Checks {
    private final List<Check> checks = new ArrayList<>();

    /** Notes a condition and passes its outcome on. */
    boolean add(Text condition, String value, String bound, boolean met) {
        checks.add(new Check(condition, value, bound, met));
        return met;
    }

    /** Whether a value reaches a bound; a value that is missing does not. */
    boolean atLeast(Text condition, double value, double bound, DoubleFunction<String> say) {
        return add(condition, say.apply(value), "≥ " + say.apply(bound), value >= bound);
    }

    /** Whether a value is below a bound; a value that is missing is not. */
    boolean below(Text condition, double value, double bound, DoubleFunction<String> say) {
        return add(condition, say.apply(value), "< " + say.apply(bound), value < bound);
    }

    List<Check> all() {
        return List.copyOf(checks);
    }

    Verdict quiet() {
        return new Verdict.Quiet(checks);
    }
}
