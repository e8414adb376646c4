package dev.onset.signals;

import static java.util.Objects.requireNonNull;

/**
 * A number that a rule compares with. A deployment may set another one, for all groups or for one.
 *
 * @param rule the rule's id
 * @param name of the bound in settings, unique in the rule: {@code least-misses}
 * @param usual what holds unless another is set
 * @param unit what it counts
 */
public record Bound(String rule, String name, double usual, Unit unit) {
    public Bound {
        requireNonNull(rule, "rule");
        requireNonNull(name, "name");
        requireNonNull(unit, "unit");
    }
}
