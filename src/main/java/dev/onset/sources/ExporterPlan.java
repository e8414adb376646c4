package dev.onset.sources;

import dev.onset.signals.Distribution;
import dev.onset.signals.Facts;
import dev.onset.signals.Identity;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.MetricDictionary.Mapping;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.signals.Version;
import dev.onset.sources.exposition.Body;
import dev.onset.sources.exposition.ExposedSample;
import dev.onset.sources.exposition.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the series of one target mean: made once from their names and labels, and valid while the body stays laid out the
 * same. After that, reading an answer is adding up numbers.
 */
final class ExporterPlan {
    private static final int MAX_FILE_SYSTEMS = 200;

    private final Identity identity;
    private final Map<String, String> facts;
    private final List<Sum> sums;
    private final List<Histogram> histograms;
    private final List<Sample> zeros;
    private final int unusable;

    /** The series that are added up into one sample. */
    private record Sum(Scope scope, Signal signal, String part, int[] series, Mapping[] mappings) {}

    /** The buckets of one distribution: which series go into which bound. */
    private record Histogram(Scope scope, Signal signal, double[] bounds, int[] series, int[] bucket) {}

    private ExporterPlan(
            Identity identity,
            Map<String, String> facts,
            List<Sum> sums,
            List<Histogram> histograms,
            List<Sample> zeros,
            int unusable) {
        this.identity = identity;
        this.facts = facts;
        this.sums = sums;
        this.histograms = histograms;
        this.zeros = zeros;
        this.unusable = unusable;
    }

    static ExporterPlan of(Target target, List<ExposedSample> series, MetricDictionary dictionary) {
        return new Draft(target, series, dictionary).finish();
    }

    Identity identity() {
        return identity;
    }

    Map<String, String> facts() {
        return facts;
    }

    /** Fills in what the body says now. Answers how many of its values cannot be true. */
    int read(Body body, List<Sample> samples, List<Distribution> distributions) {
        int incredible = unusable;
        for (Sum sum : sums) {
            double total = 0;
            int wrong = 0;
            for (int i = 0; i < sum.series.length; i++) {
                double value = body.value(sum.series[i]);
                wrong += sum.mappings[i].credible(value) ? 0 : 1;
                total += value * sum.mappings[i].scale();
            }
            incredible += wrong;
            // A sum without one of its parts would look like a counter that fell: it is a gap.
            if (wrong == 0) {
                samples.add(new Sample(sum.scope, sum.signal, sum.part, total));
            }
        }
        samples.addAll(zeros);
        for (Histogram histogram : histograms) {
            double[] counts = new double[histogram.bounds.length];
            for (int i = 0; i < histogram.series.length; i++) {
                counts[histogram.bucket[i]] += body.value(histogram.series[i]);
            }
            if (Arrays.stream(counts).anyMatch(Double::isNaN)) {
                incredible++;
            } else {
                distributions.add(new Distribution(histogram.scope, histogram.signal, histogram.bounds, counts));
            }
        }
        return incredible;
    }

    /** {@code GPU-07.cluster:9100} and {@code gpu-07} are the same machine; IP addresses stay whole. */
    static String shortName(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        int colon = name.indexOf(':');
        if (colon > 0 && name.indexOf(':', colon + 1) < 0) {
            name = name.substring(0, colon);
        }
        int dot = name.indexOf('.');
        return dot > 0 && !Character.isDigit(name.charAt(0)) ? name.substring(0, dot) : name;
    }

    private static String or(@Nullable String value, String other) {
        return value == null ? other : value;
    }

    /** A plan while names and labels are looked through. */
    private static final class Draft {
        private final Target target;
        private final List<ExposedSample> series;
        private final MetricDictionary dictionary;
        private final Identity identity;
        private final Map<Signal, Map<String, List<Member>>> sums = new EnumMap<>(Signal.class);
        private final Map<Signal, List<Member>> buckets = new EnumMap<>(Signal.class);
        private int unusable;

        /** A series that belongs to a signal; the bound is that of a bucket. */
        private record Member(int series, Mapping mapping, double bound) {}

        Draft(Target target, List<ExposedSample> series, MetricDictionary dictionary) {
            this.target = target;
            this.series = series;
            this.dictionary = dictionary;
            this.identity = identity();
        }

        ExporterPlan finish() {
            for (int i = 0; i < series.size(); i++) {
                for (Mapping mapping : dictionary.of(series.get(i).name())) {
                    add(i, series.get(i).labels(), mapping);
                }
            }
            List<Sum> planned = new ArrayList<>();
            sums.forEach((signal, parts) -> parts.forEach((part, members) -> planned.add(new Sum(
                    scope(signal),
                    signal,
                    part,
                    members.stream().mapToInt(Member::series).toArray(),
                    members.stream().map(Member::mapping).toArray(Mapping[]::new)))));
            List<Histogram> histograms = new ArrayList<>();
            buckets.forEach((signal, members) -> histograms.add(histogram(signal, members)));
            return new ExporterPlan(
                    identity, facts(), List.copyOf(planned), List.copyOf(histograms), zeros(), unusable);
        }

        private void add(int index, Labels labels, Mapping mapping) {
            if (mapping.label() != null) {
                String value = labels.get(mapping.label());
                if (value == null || !mapping.values().contains(value)) {
                    return;
                }
            }
            if (mapping.signal().kind() == Signal.Kind.HISTOGRAM) {
                String bound = labels.get("le");
                Double le = bound == null ? null : ExpositionNumbers.bound(bound);
                if (le == null) {
                    unusable++;
                } else {
                    buckets.computeIfAbsent(mapping.signal(), signal -> new ArrayList<>())
                            .add(new Member(index, mapping, le));
                }
                return;
            }
            sums.computeIfAbsent(mapping.signal(), signal -> new LinkedHashMap<>())
                    .computeIfAbsent(part(mapping, labels), part -> new ArrayList<>())
                    .add(new Member(index, mapping, Double.NaN));
        }

        private Histogram histogram(Signal signal, List<Member> members) {
            double[] bounds = members.stream()
                    .mapToDouble(Member::bound)
                    .sorted()
                    .distinct()
                    .toArray();
            return new Histogram(
                    scope(signal),
                    signal,
                    bounds,
                    members.stream().mapToInt(Member::series).toArray(),
                    members.stream()
                            .mapToInt(member -> Arrays.binarySearch(bounds, member.bound))
                            .toArray());
        }

        private String part(Mapping mapping, Labels labels) {
            String part = "";
            for (String label : mapping.partLabels()) {
                String value = labels.get(label);
                if (value != null) {
                    part = value;
                    break;
                }
            }
            if (mapping.signal().scope() != ScopeKind.JOB) {
                return part;
            }
            // Ranks and accelerators of all hosts meet in one job: their machine is part of the name.
            String host = labels.get("Hostname") != null && target.host() == null
                    ? shortName(or(labels.get("Hostname"), ""))
                    : or(identity.host(), target.addressHost());
            String slice = labels.get("GPU_I_ID");
            return part.isEmpty() ? target.address() : host + "/" + part + (slice == null ? "" : ":" + slice);
        }

        /** Label vectors that do not exist before their first event. */
        private List<Sample> zeros() {
            if (identity.mountPoint() == null || !identity.mountPoint().startsWith("/")) {
                return List.of();
            }
            return MetricDictionary.zeroWhenAbsent(Version.of(identity.version())).stream()
                    .filter(signal -> !sums.containsKey(signal))
                    .map(signal -> Sample.of(identity.scope(), signal, 0))
                    .toList();
        }

        private Map<String, String> facts() {
            Map<String, String> facts = new TreeMap<>();
            if (identity.version() != null && target.kind() == SourceKind.JUICEFS) {
                facts.put(Facts.JUICEFS_VERSION, identity.version());
            }
            series.stream()
                    .filter(sample -> sample.name().equals("node_filesystem_size_bytes"))
                    .limit(MAX_FILE_SYSTEMS)
                    .forEach(sample -> facts.put(
                            Facts.DEVICE_OF + sample.labels().get("mountpoint"),
                            or(sample.labels().get("device"), "")));
            return Map.copyOf(facts);
        }

        private Scope scope(Signal signal) {
            return signal.scope() == ScopeKind.JOB ? Scope.job(target.group()) : identity.scope();
        }

        private Identity identity() {
            return switch (target.kind()) {
                case JUICEFS -> mount();
                case NODE -> host();
                case ACCELERATOR, TRAINER, REDIS ->
                    new Identity(Scope.job(target.group()), hostOf(null), null, null, null);
            };
        }

        private Identity mount() {
            Labels labels = series.stream()
                    .map(ExposedSample::labels)
                    .filter(candidate -> candidate.get("vol_name") != null)
                    .findFirst()
                    .orElse(Labels.NONE);
            // A Prometheus in between renames the client's own label, unless it honours labels.
            String exported = labels.get("exported_instance");
            String host = hostOf(exported != null ? exported : labels.get("instance"));
            String volume = or(labels.get("vol_name"), "unknown");
            String mountPoint = or(labels.get("mp"), "unknown");
            return new Identity(
                    Scope.mount(target.group(), volume, host, mountPoint),
                    host,
                    volume,
                    mountPoint,
                    labels.get("juicefs_version"));
        }

        private Identity host() {
            String nodename = null;
            for (ExposedSample sample : series) {
                if (sample.name().equals("node_uname_info")) {
                    nodename = sample.labels().get("nodename");
                }
            }
            String host = hostOf(nodename);
            return new Identity(Scope.host(target.group(), host), host, null, null, null);
        }

        private String hostOf(@Nullable String stated) {
            String host = target.host();
            if (host == null) {
                host = stated == null || stated.isBlank() ? target.addressHost() : stated;
            }
            return shortName(host);
        }
    }
}
