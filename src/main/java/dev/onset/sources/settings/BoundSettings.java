package dev.onset.sources.settings;

import dev.onset.signals.Bound;
import dev.onset.signals.Bounds;
import dev.onset.signals.Unit;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Bounds of rules in a settings file: {@code onset.rules.RULE.BOUND} for all groups,
 * {@code onset.groups[0].rules.RULE.BOUND} for one.
 */
final class BoundSettings {
    /** Told what is wrong with a key. */
    interface Problems {
        void add(ConfigurationPropertyName name, String what);
    }

    private static final String RULES = "rules";
    private static final int OF_ALL = 2;
    private static final int OF_A_GROUP = 4;

    private final Map<String, Map<String, Bound>> bounds;
    private final List<GroupSettings> groups;
    private final Problems problems;
    private final Map<String, Double> everywhere = new HashMap<>();
    private final Map<String, Map<String, Double>> byGroup = new HashMap<>();

    BoundSettings(Collection<Bound> all, List<GroupSettings> groups, Problems problems) {
        bounds =
                all.stream().collect(Collectors.groupingBy(Bound::rule, Collectors.toMap(Bound::name, bound -> bound)));
        this.groups = groups;
        this.problems = problems;
    }

    /** Whether a key stands where bounds are set, rightly or wrongly. */
    static boolean isOne(ConfigurationPropertyName name) {
        return depth(name) > 0;
    }

    /** How many elements stand before the rule's id; 0 for keys of other things. */
    private static int depth(ConfigurationPropertyName name) {
        for (int depth : new int[] {OF_ALL, OF_A_GROUP}) {
            boolean place = depth == OF_ALL
                    || (name.getNumberOfElements() >= depth
                            && name.getElement(1, Form.UNIFORM).equals("groups")
                            && name.isNumericIndex(2));
            if (place
                    && name.getNumberOfElements() >= depth
                    && name.getElement(0, Form.UNIFORM).equals("onset")
                    && name.getElement(depth - 1, Form.UNIFORM).equals(RULES)) {
                return depth;
            }
        }
        return 0;
    }

    void take(ConfigurationPropertyName name, @Nullable Object value) {
        int depth = depth(name);
        String text = value == null ? "" : value.toString().strip();
        if (name.getNumberOfElements() == depth) {
            if (!text.isEmpty()) {
                problems.add(name, "must hold rules, and each of them its bounds");
            }
            return;
        }
        String id = name.getElement(depth, Form.ORIGINAL);
        Map<String, Bound> ofRule = bounds.get(id);
        if (ofRule == null) {
            problems.add(name, "there is no rule " + id + SettingsFile.suggestion(id, sorted(bounds.keySet())));
        } else if (ofRule.isEmpty() || name.getNumberOfElements() != depth + 2) {
            problems.add(name, "must hold bounds of this rule: " + String.join(", ", sorted(ofRule.keySet())));
        } else {
            String bound = name.getElement(depth + 1, Form.ORIGINAL);
            Bound known = ofRule.get(bound);
            if (known == null) {
                problems.add(
                        name, "this rule has no such bound" + SettingsFile.suggestion(bound, sorted(ofRule.keySet())));
            } else {
                set(name, depth, known, text);
            }
        }
    }

    /** Call it when every key was taken. */
    Bounds bounds() {
        return Bounds.of(everywhere, byGroup);
    }

    private void set(ConfigurationPropertyName name, int depth, Bound bound, String text) {
        double value = number(text);
        String allowed = allowed(bound);
        if (!fits(bound, value)) {
            problems.add(name, "must be " + allowed + "; usual is " + text(bound.usual()));
            return;
        }
        String key = bound.rule() + "/" + bound.name();
        if (depth == OF_ALL) {
            everywhere.put(key, value);
            return;
        }
        int index = Integer.parseInt(name.getElement(2, Form.ORIGINAL));
        if (index < groups.size()) {
            String job = Objects.requireNonNullElse(groups.get(index).job(), "");
            byGroup.computeIfAbsent(job, group -> new HashMap<>()).put(key, value);
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static boolean fits(Bound bound, double value) {
        if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
            return false;
        }
        return isShare(bound) ? value <= 1 : !isCount(bound) || (value >= 1 && value == Math.rint(value));
    }

    private static String allowed(Bound bound) {
        if (isShare(bound)) {
            return "a number from 0 to 1";
        }
        return isCount(bound)
                ? "a whole number, 1 or more"
                : "a number, 0 or more"
                        + (bound.unit().symbol().isEmpty()
                                ? ""
                                : ", in " + bound.unit().symbol());
    }

    private static boolean isShare(Bound bound) {
        return bound.unit() == Unit.RATIO && bound.usual() <= 1;
    }

    private static boolean isCount(Bound bound) {
        return bound.unit() == Unit.COUNT;
    }

    private static String text(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.valueOf((long) value)
                : String.valueOf(value);
    }

    private static Set<String> sorted(Set<String> names) {
        return names.stream().sorted().collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
