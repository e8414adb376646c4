package dev.onset.outlets.metrics;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.signals.Scrape;
import dev.onset.signals.Scrape.Missed;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.stereotype.Component;

/** What {@code /metrics} tells. The loop calls in after each answer and each tick; every name is bounded. */
@Component
@EnableConfigurationProperties(MetricsSettings.class)
public final class Metrics {
    /** More groups than anyone has; beyond, skew is no longer told one by one. */
    private static final int MOST_GROUPS = 200;

    private final MeterRegistry registry;
    private final MetricsSettings settings;
    private final Snapshots snapshots;
    private final Timer ticks;
    private final Timer judging;
    private final Map<String, Double> skews = new ConcurrentHashMap<>();
    private volatile Health health = Health.UNKNOWN;

    Metrics(MeterRegistry registry, PrometheusRegistry prometheus, MetricsSettings settings) {
        this.registry = registry;
        this.settings = settings;
        snapshots = new Snapshots(settings.maxSeries());
        prometheus.register(snapshots);
        ticks = timer("onset.tick", "Time from the end of a step until everything about it was told.");
        judging = timer("onset.judge", "Time the rules took for one step.");
        gauge("onset.targets", "state", "up", () -> health.targetsUp());
        gauge("onset.targets", "state", "down", () -> health.targetsDown());
        for (String answer : List.of("quiet", "found", "unsure")) {
            gauge("onset.rules", "answer", answer, () -> health.answers().getOrDefault(answer, 0));
        }
        Gauge.builder("onset.outbox.pending", () -> health.outboxPending())
                .description("Messages that wait to be delivered.")
                .register(registry);
        Gauge.builder("onset.store.writable", () -> health.storeWritable() ? 1 : 0)
                .description("1 while diagnoses can be stored.")
                .register(registry);
        Gauge.builder("onset.series.left.out", snapshots, Snapshots::leftOut)
                .description("Series beyond onset.metrics.max-series.")
                .register(registry);
    }

    /** An answer came, or did not; {@code took} is the time of the request. */
    public void scraped(Scrape scrape, Duration took) {
        String source = scrape.target().kind().name().toLowerCase(Locale.ROOT);
        String outcome =
                scrape instanceof Missed missed ? missed.reason().name().toLowerCase(Locale.ROOT) : "answered";
        registry.counter("onset.scrapes", "source", source, "outcome", outcome).increment();
        registry.timer("onset.scrape", "source", source).record(took);
    }

    /** How far apart the requests of a group began in the last step. */
    public void skew(String group, Duration skew) {
        if (skews.size() >= MOST_GROUPS && !skews.containsKey(group)) {
            return;
        }
        if (skews.put(group, seconds(skew)) == null) {
            Gauge.builder("onset.scrape.skew", () -> skews.getOrDefault(group, Double.NaN))
                    .description("How far apart the requests of a group began.")
                    .baseUnit("seconds")
                    .tag("group", group)
                    .register(registry);
        }
    }

    /** A receiver refused a message for good. */
    public void refused(String receiver) {
        registry.counter("onset.outbox.refused", "receiver", receiver).increment();
    }

    /** The rules judged a step. */
    public void judged(Duration took) {
        judging.record(took);
    }

    /**
     * A step is over.
     *
     * @param current every diagnosis that is not resolved
     * @param values the closed step's values; gaps may be among them and are not shown
     */
    public void ticked(Duration took, Health now, List<Diagnosis> current, List<Value> values) {
        ticks.record(took);
        health = now;
        snapshots.replace(current, settings.signals() ? values : List.of());
    }

    private Timer timer(String name, String text) {
        return Timer.builder(name).description(text).register(registry);
    }

    private void gauge(String name, String label, String value, java.util.function.Supplier<Number> number) {
        Gauge.builder(name, number).tag(label, value).register(registry);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
