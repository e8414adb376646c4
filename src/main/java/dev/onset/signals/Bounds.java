package dev.onset.signals;

import java.util.HashMap;
import java.util.Map;

/** The bounds that were set to something else than usual, for all groups or for one. */
public final class Bounds {
    /** Everything as usual. */
    public static final Bounds USUAL = new Bounds(Map.of(), Map.of());

    private final Map<String, Double> everywhere;
    private final Map<String, Map<String, Double>> byGroup;

    private Bounds(Map<String, Double> everywhere, Map<String, Map<String, Double>> byGroup) {
        this.everywhere = everywhere;
        this.byGroup = byGroup;
    }

    /**
     * @param everywhere values by {@code rule/name}
     * @param byGroup the same for each group that differs
     */
    public static Bounds of(Map<String, Double> everywhere, Map<String, Map<String, Double>> byGroup) {
        Map<String, Map<String, Double>> groups = new HashMap<>();
        byGroup.forEach((group, values) -> groups.put(group, Map.copyOf(values)));
        return new Bounds(Map.copyOf(everywhere), Map.copyOf(groups));
    }

    /** What holds in a group. */
    public double of(Bound bound, String group) {
        if (everywhere.isEmpty() && byGroup.isEmpty()) {
            return bound.usual();
        }
        String key = bound.rule() + "/" + bound.name();
        Double own = byGroup.getOrDefault(group, Map.of()).get(key);
        return own == null ? everywhere.getOrDefault(key, bound.usual()) : own;
    }
}
