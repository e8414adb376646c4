package dev.onset.sources;

import dev.onset.signals.Distribution;
import dev.onset.signals.Facts;
import dev.onset.signals.Fault;
import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.MetricDictionary.Mapping;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import dev.onset.signals.Version;
import dev.onset.sources.exposition.ExposedSample;
import dev.onset.sources.exposition.Exposition;
import dev.onset.sources.exposition.ExpositionParser;
import dev.onset.sources.exposition.Labels;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Turns an exporter's text into samples of signals: who answered, which series belong to which signal. */
final class ExporterReader {
    /** An exporter's own time stamp further away than this is ignored: it would move its samples to another step. */
    private static final long CREDIBLE_STAMP_MILLIS = 5 * 60_000L;

    private static final int MAX_FILE_SYSTEMS = 200;

    private final MetricDictionary dictionary;

    ExporterReader(MetricDictionary dictionary) {
        this.dictionary = dictionary;
    }

    Scrape read(Answer answer, byte[] body) {
        Exposition exposition = ExpositionParser.parse(body, body.length, dictionary::knows);
        if (exposition.samples().isEmpty()) {
            return new Scrape.Missed(
                    answer.target(), true, answer.atMillis(), Gap.BAD_ANSWER, nothingUsable(exposition));
        }
        Identity identity = identity(answer.target(), exposition.samples());
        List<Fault> faults = new ArrayList<>(exposition.faults());
        noteDuplicates(exposition, faults);
        Accumulator sums = new Accumulator(answer.target(), identity);
        int incredible = 0;
        for (ExposedSample sample : exposition.samples()) {
            for (Mapping mapping : dictionary.of(sample.name())) {
                incredible += sums.add(mapping, sample) ? 0 : 1;
            }
        }
        noteStamps(answer, exposition.samples(), faults);
        if (incredible > 0) {
            faults.add(new Fault(
                    0,
                    Text.format(
                            "%d samples outside their possible range were ignored",
                            "忽略了 %d 个超出可能取值范围的样本", incredible)));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        if (identity.version() != null && answer.target().kind() == SourceKind.JUICEFS) {
            facts.put(Facts.JUICEFS_VERSION, identity.version());
        }
        exposition.samples().stream()
                .filter(sample -> sample.name().equals("node_filesystem_size_bytes"))
                .limit(MAX_FILE_SYSTEMS)
                .forEach(sample -> facts.put(
                        Facts.DEVICE_OF + sample.labels().get("mountpoint"),
                        or(sample.labels().get("device"), "")));
        List<Sample> samples = sums.samples();
        addScrapeCost(answer, body.length, samples);
        return new Scrape.Scraped(
                answer.target(),
                true,
                answer.atMillis(),
                identity,
                samples,
                sums.distributions(),
                List.of(),
                facts,
                faults);
    }

    private static Text nothingUsable(Exposition exposition) {
        if (!exposition.faults().isEmpty()) {
            Fault first = exposition.faults().get(0);
            return Text.format("line %1$d:", "第 %1$d 行：", first.line()).plus(first.reason());
        }
        return exposition.lines() == 0
                ? new Text("the answer is empty", "应答为空")
                : new Text("the answer has no metric that this service knows", "应答中没有本服务认识的指标");
    }

    private static void noteDuplicates(Exposition exposition, List<Fault> faults) {
        if (exposition.duplicates() > 0) {
            faults.add(new Fault(
                    0,
                    Text.format(
                            "%d duplicate series; the first of each counts",
                            "%d 条重复序列；每组取第一条", exposition.duplicates())));
        }
    }

    private static void noteStamps(Answer answer, List<ExposedSample> samples, List<Fault> faults) {
        for (ExposedSample sample : samples) {
            if (sample.timestampMillis() != ExposedSample.NO_TIMESTAMP
                    && Math.abs(sample.timestampMillis() - answer.atMillis()) > CREDIBLE_STAMP_MILLIS) {
                faults.add(new Fault(
                        sample.line(),
                        Text.format(
                                "the target stamps its own samples (%1$s); the time of the scrape is used instead",
                                "目标自带时间戳（%1$s），改用采集时刻", java.time.Instant.ofEpochMilli(sample.timestampMillis()))));
                return;
            }
        }
    }

    private static void addScrapeCost(Answer answer, int bytes, List<Sample> samples) {
        Scope target = Scope.target(answer.target());
        samples.add(Sample.of(target, Signal.SCRAPE_SECONDS, answer.tookSeconds()));
        samples.add(Sample.of(target, Signal.SCRAPE_BYTES, bytes));
    }

    private static Identity identity(Target target, List<ExposedSample> samples) {
        return switch (target.kind()) {
            case JUICEFS -> mount(target, samples);
            case NODE -> host(target, samples);
            case ACCELERATOR, TRAINER, REDIS ->
                new Identity(Scope.job(target.group()), hostOf(target, null), null, null, null);
        };
    }

    private static Identity mount(Target target, List<ExposedSample> samples) {
        Labels labels = samples.stream()
                .map(ExposedSample::labels)
                .filter(candidate -> candidate.get("vol_name") != null)
                .findFirst()
                .orElse(Labels.NONE);
        // A Prometheus in between renames the client's own label, unless it honours labels.
        String exported = labels.get("exported_instance");
        String host = hostOf(target, exported != null ? exported : labels.get("instance"));
        String volume = or(labels.get("vol_name"), "unknown");
        String mountPoint = or(labels.get("mp"), "unknown");
        return new Identity(
                Scope.mount(target.group(), volume, host, mountPoint),
                host,
                volume,
                mountPoint,
                labels.get("juicefs_version"));
    }

    private static Identity host(Target target, List<ExposedSample> samples) {
        String nodename = null;
        for (ExposedSample sample : samples) {
            if (sample.name().equals("node_uname_info")) {
                nodename = sample.labels().get("nodename");
            }
        }
        String host = hostOf(target, nodename);
        return new Identity(Scope.host(target.group(), host), host, null, null, null);
    }

    private static String hostOf(Target target, @Nullable String stated) {
        String host = target.host();
        if (host == null) {
            host = stated == null || stated.isBlank() ? target.addressHost() : stated;
        }
        return shortName(host);
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

    /** Adds up the series of a signal and part. */
    private static final class Accumulator {
        private final Target target;
        private final Identity identity;
        private final Map<Signal, Map<String, double[]>> sums = new EnumMap<>(Signal.class);
        private final Map<Signal, TreeMap<Double, Double>> buckets = new EnumMap<>(Signal.class);

        Accumulator(Target target, Identity identity) {
            this.target = target;
            this.identity = identity;
        }

        /** False when the value cannot be true. */
        boolean add(Mapping mapping, ExposedSample sample) {
            if (mapping.label() != null) {
                String value = sample.labels().get(mapping.label());
                if (value == null || !mapping.values().contains(value)) {
                    return true;
                }
            }
            if (mapping.signal().kind() == Signal.Kind.HISTOGRAM) {
                String bound = sample.labels().get("le");
                Double le = bound == null ? null : ExpositionNumbers.bound(bound);
                if (le != null && !Double.isNaN(sample.value())) {
                    buckets.computeIfAbsent(mapping.signal(), signal -> new TreeMap<>())
                            .merge(le, sample.value(), Double::sum);
                }
                return le != null;
            }
            if (!mapping.credible(sample.value())) {
                return false;
            }
            sums.computeIfAbsent(mapping.signal(), signal -> new HashMap<>())
                            .computeIfAbsent(part(mapping, sample.labels()), part -> new double[1])[0] +=
                    sample.value() * mapping.scale();
            return true;
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

        List<Sample> samples() {
            List<Sample> samples = new ArrayList<>();
            sums.forEach((signal, parts) ->
                    parts.forEach((part, sum) -> samples.add(new Sample(scope(signal), signal, part, sum[0]))));
            if (identity.mountPoint() != null && identity.mountPoint().startsWith("/")) {
                for (Signal signal : MetricDictionary.zeroWhenAbsent(Version.of(identity.version()))) {
                    if (!sums.containsKey(signal)) {
                        samples.add(Sample.of(identity.scope(), signal, 0));
                    }
                }
            }
            return samples;
        }

        List<Distribution> distributions() {
            List<Distribution> distributions = new ArrayList<>();
            buckets.forEach((signal, counts) -> {
                double[] bounds = new double[counts.size()];
                double[] values = new double[counts.size()];
                int i = 0;
                for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
                    bounds[i] = bucket.getKey();
                    values[i++] = bucket.getValue();
                }
                distributions.add(new Distribution(scope(signal), signal, bounds, values));
            });
            return distributions;
        }

        private Scope scope(Signal signal) {
            return signal.scope() == ScopeKind.JOB ? Scope.job(target.group()) : identity.scope();
        }
    }
}
