package dev.onset.rules;

import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.List;

/** Collects the conditions of a rule as they are tested. */
final class Checks {
    private final List<Check> checks = new ArrayList<>();

    /** Notes a condition and passes its outcome on. */
    boolean add(Text condition, String value, String bound, boolean met) {
        checks.add(new Check(condition, value, bound, met));
        return met;
    }

    List<Check> all() {
        return List.copyOf(checks);
    }

    Verdict quiet() {
        return new Verdict.Quiet(checks);
    }
}
