package dev.onset.sources.settings;

import dev.onset.signals.MetricDictionary;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Unit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Metrics of accelerators and training loops that the dictionary does not know.
 *
 * @param mappings one entry a metric
 */
@ConfigurationProperties("onset")
public record MappingSettings(@DefaultValue List<Entry> mappings) {
    private static final double ANY = Double.MAX_VALUE;

    public MappingSettings {
        mappings = List.copyOf(mappings);
    }

    /**
     * One metric.
     *
     * @param metric its name as exported
     * @param signal what it measures: {@code accelerator_use}, {@code thr}, {@code data_wait} and the like
     * @param scale multiplies the exported value: 0.01 makes a share of a percentage
     * @param deviceLabel the label that tells accelerators apart; none where there is one series
     */
    public record Entry(
            String metric,
            String signal,
            @DefaultValue("1") double scale,
            @Nullable String deviceLabel) {
        public Entry {
            if (!metric.matches("[a-zA-Z_:][a-zA-Z0-9_:]{0,199}")) {
                throw new IllegalArgumentException("\"" + metric + "\" is not the name of a metric");
            }
            if (!(scale > 0) || Double.isInfinite(scale)) {
                throw new IllegalArgumentException("scale " + scale + ": must be above 0");
            }
            of(signal);
        }
    }

    /** The built-in dictionary and these. */
    public MetricDictionary dictionary() {
        Map<String, List<MetricDictionary.Mapping>> more = new LinkedHashMap<>();
        for (Entry entry : mappings) {
            Signal signal = of(entry.signal());
            boolean share = signal.unit() == Unit.RATIO;
            more.computeIfAbsent(entry.metric(), metric -> new ArrayList<>())
                    .add(new MetricDictionary.Mapping(
                            signal,
                            null,
                            Set.of(),
                            entry.deviceLabel() == null ? List.of() : List.of(entry.deviceLabel()),
                            entry.scale(),
                            share ? 0 : -ANY,
                            share ? 1 / entry.scale() : ANY));
        }
        return more.isEmpty() ? MetricDictionary.STANDARD : MetricDictionary.extended(more);
    }

    private static Signal of(String id) {
        List<Signal> allowed = Arrays.stream(Signal.values())
                .filter(signal -> signal.scope() == ScopeKind.JOB && signal.kind() != Signal.Kind.DERIVED)
                .toList();
        return allowed.stream()
                .filter(signal -> signal.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("signal \"" + id + "\": allowed are "
                        + String.join(", ", allowed.stream().map(Signal::id).toList())));
    }
}
