package dev.onset.outlets.metrics;

import dev.onset.signals.Gap;
import dev.onset.signals.Scrape;
import dev.onset.signals.Scrape.Missed;
import dev.onset.signals.SourceKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

/** What {@code /metrics} tells. The loop calls in after each answer and each tick; every name is bounded. */
@Component
@EnableConfigurationProperties(MetricsSettings.class)
public final class Metrics {
    private static final long[] BOUNDS_MILLIS = {
        1, 5, 10, 50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000
    };

    private final MeterRegistry registry;
    private final Snapshots snapshots;
    private final Timer ticks;
    private final Timer cycles;
    private final Timer judging;
    private final Timer skews;
    private final Map<SourceKind, Asking> asking = new ConcurrentHashMap<>();

    public Metrics(MeterRegistry registry, PrometheusRegistry prometheus, MetricsSettings settings) {
        this.registry = registry;
        snapshots = new Snapshots(settings.maxSeries(), settings.signals());
        prometheus.register(snapshots);
        ticks = timer("onset.tick", "Time from the last answer of a step until everything about it was told.", 10_000);
        cycles = timer("onset.cycle", "Time from the beginning of a step until it was judged.", 60_000);
        judging = timer("onset.judge", "Time the rules took for one step.", 10_000);
        skews = timer("onset.group.skew", "How far apart the requests of a group began in a step.", 10_000);
        gauge("onset.targets", "state", "up", () -> health().targetsUp());
        gauge("onset.targets", "state", "down", () -> health().targetsDown());
        for (String answer : List.of("quiet", "found", "unsure")) {
            gauge("onset.rules", "answer", answer, () -> health().answers().getOrDefault(answer, 0));
        }
        Gauge.builder("onset.answers.waiting", () -> snapshots.last().waiting())
                .description("Answers that came in and are not in the timeline yet.")
                .register(registry);
        Gauge.builder("onset.outbox.pending", () -> health().outboxPending())
                .description("Messages that wait to be delivered.")
                .register(registry);
        Gauge.builder("onset.store.writable", () -> health().storeWritable() ? 1 : 0)
                .description("1 while diagnoses can be stored.")
                .register(registry);
    }

    /** An answer came, or did not; {@code took} is the time of the request. */
    public void scraped(Scrape scrape, Duration took) {
        SourceKind kind = scrape.target().kind();
        Asking known = asking.get(kind);
        if (known == null) {
            known = asking.computeIfAbsent(kind, Asking::new);
        }
        known.took.record(took);
        known.counter(scrape instanceof Missed missed ? missed.reason() : null).increment();
    }

    /** The requests of one group in one step began so far apart. */
    public void skewed(Duration skew) {
        skews.record(skew);
    }

    /** A receiver refused a message for good. */
    public void refused(String receiver) {
        registry.counter("onset.outbox.refused", "receiver", receiver).increment();
    }

    /**
     * The rules judged a step.
     *
     * @param took the judging itself
     * @param cycle since the step began
     */
    public void judged(Duration took, Duration cycle) {
        judging.record(took);
        cycles.record(cycle);
    }

    /** A step is over; what it holds is read when somebody asks. */
    public void ticked(Duration took, LastStep step) {
        ticks.record(took);
        snapshots.replace(step);
    }

    private Health health() {
        return snapshots.last().health();
    }

    private Timer timer(String name, String text, long mostMillis) {
        Duration[] bounds = Arrays.stream(BOUNDS_MILLIS)
                .filter(bound -> bound <= mostMillis)
                .mapToObj(Duration::ofMillis)
                .toArray(Duration[]::new);
        return Timer.builder(name)
                .description(text)
                .serviceLevelObjectives(bounds)
                .register(registry);
    }

    private void gauge(String name, String label, String value, java.util.function.Supplier<Number> number) {
        Gauge.builder(name, number).tag(label, value).register(registry);
    }

    /** The meters of one kind of source, at hand: looking them up by name costs more than counting. */
    private final class Asking {
        private final String source;
        private final Timer took;
        private final Counter answered;
        private final Map<Gap, Counter> missed = new EnumMap<>(Gap.class);

        Asking(SourceKind kind) {
            source = kind.name().toLowerCase(Locale.ROOT);
            took = registry.timer("onset.scrape", "source", source);
            answered = outcome("answered");
        }

        synchronized Counter counter(@Nullable Gap reason) {
            return reason == null
                    ? answered
                    : missed.computeIfAbsent(reason, gap -> outcome(gap.name().toLowerCase(Locale.ROOT)));
        }

        private Counter outcome(String outcome) {
            return registry.counter("onset.scrapes", "source", source, "outcome", outcome);
        }
    }
}
