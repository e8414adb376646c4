package dev.onset;

import dev.onset.diagnoses.Deliveries;
import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Evidence;
import dev.onset.diagnoses.Incidents;
import dev.onset.diagnoses.Keeper;
import dev.onset.diagnoses.Tracks;
import dev.onset.outlets.api.Changes;
import dev.onset.outlets.api.Status;
import dev.onset.outlets.api.Watched;
import dev.onset.outlets.metrics.Health;
import dev.onset.outlets.metrics.LastStep;
import dev.onset.outlets.metrics.Metrics;
import dev.onset.rules.RuleBook;
import dev.onset.signals.Bounds;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.sources.Answer;
import dev.onset.sources.live.LiveSources;
import dev.onset.sources.settings.SourceSettings;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The live run: answers go into the tick as they come; when a step is complete it is judged, kept, and told. What the
 * page asks for is what was seen then; only series are read from the tick itself, one reader at a time.
 */
final class Loop implements Watched, SmartLifecycle {
    /** Mounts that hang and databases that cannot be read: a few of many say enough. */
    private static final int MOST_NOTES = 20;
    /** Read in one go for {@code /metrics}: the tick waits at most for these. */
    private static final int SCOPES_AT_ONCE = 64;

    private final SourceSettings settings;
    private final LiveSources sources;
    private final Deliveries deliveries;
    private final Keeper keeper;
    private final Changes changes;
    private final Metrics metrics;
    private final Clock clock;
    private final @Nullable ShownRecording recording;
    private final Tick tick;
    private final Object lock = new Object();
    private final Object readers = new Object();
    private final long sinceMillis;
    private volatile Seen seen;
    private volatile boolean running;

    Loop(
            SourceSettings settings,
            MetricDictionary dictionary,
            Bounds bounds,
            LiveSources sources,
            Diagnoses diagnoses,
            Deliveries deliveries,
            Changes changes,
            Metrics metrics,
            Clock clock,
            @Nullable ShownRecording recording) {
        this.settings = settings;
        this.sources = sources;
        this.deliveries = deliveries;
        keeper = new Keeper(diagnoses);
        this.changes = changes;
        this.metrics = metrics;
        this.clock = clock;
        this.recording = recording;
        sinceMillis = clock.millis();
        tick = new Tick(TimeAxis.of(settings.step()), settings.floorScale(), dictionary, null);
        tick.timeline().judgeBy(bounds);
        tick.resume(diagnoses.unresolved());
        seen = Seen.of(tick, sources::targets);
    }

    @Override
    public void start() {
        running = true;
        sources.start(this::take, this::complete, skew -> metrics.skewed(Duration.ofMillis(skew)));
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    void take(Answer answer) {
        Scrape scrape;
        synchronized (lock) {
            scrape = tick.take(answer);
        }
        metrics.scraped(scrape, seconds(answer.tookSeconds()));
    }

    void complete(long step) {
        long began = System.nanoTime();
        Incidents.Outcome outcome;
        Seen now;
        Duration took;
        synchronized (lock) {
            outcome = tick.close(step);
            took = since(began);
            now = Seen.of(tick, sources::targets);
            tick.forgetJudgements();
        }
        long stepMillis = settings.step().toMillis();
        metrics.judged(took, Duration.ofMillis(Math.max(0, clock.millis() - step * stepMillis)));
        keeper.keep(outcome.touched(), outcome.changes());
        seen = now;
        changes.publish(new dev.onset.outlets.api.Tick(
                (step + 1) * stepMillis,
                outcome.touched().stream().map(Diagnosis::id).toList()));
        metrics.ticked(since(began), new ForMetrics(now));
    }

    /** Reads the timeline for somebody who looks: one at a time, so that the tick never waits for more than one. */
    <T> T look(Supplier<T> reading) {
        synchronized (readers) {
            synchronized (lock) {
                return reading.get();
            }
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    @Override
    public Optional<Evidence> timeline(Scope scope, List<Signal> signals, long fromMillis, long toMillis) {
        Optional<Evidence> live = look(() -> Tracks.of(tick.timeline(), scope, signals, fromMillis, toMillis));
        return live.isPresent() || recording == null
                ? live
                : Tracks.of(recording.tick().timeline(), scope, signals, fromMillis, toMillis);
    }

    @Override
    public Optional<Why> why(Scope scope, long atMillis) {
        Optional<Why> live = look(() -> why(tick.timeline(), scope, atMillis));
        return live.isPresent() || recording == null
                ? live
                : why(recording.tick().timeline(), scope, atMillis);
    }

    private static Optional<Why> why(Timeline timeline, Scope scope, long atMillis) {
        long step = Math.min(timeline.closedStep(), timeline.axis().step(atMillis));
        Window window = timeline.windowAt(scope, step);
        return window == null
                ? Optional.empty()
                : Optional.of(new Why(timeline.axis().startMillis(step), RuleBook.judge(window)));
    }

    @Override
    public List<Status.TargetState> targets() {
        return seen.targets();
    }

    @Override
    public List<Scope> scopes() {
        return shown(seen).scopes();
    }

    @Override
    public Status status() {
        Seen now = seen;
        Seen shown = shown(now);
        return new Status(
                clock.millis(),
                sinceMillis,
                shown.lastStepMillis(),
                shown.stepMillis(),
                live(now),
                recording == null ? null : recording.name(),
                shown.counts(),
                shown.rules(),
                shown.cannotJudge(),
                now.targetCounts(),
                now.firstTargets(),
                notes(),
                pending(),
                keeper.problem().map(Text::same).orElse(null),
                shown.firstScopes());
    }

    private int pending() {
        return (int) Math.min(Integer.MAX_VALUE, deliveries.pending());
    }

    private boolean live(Seen now) {
        return !settings.groups().isEmpty() || now.targetCounts().up() > 0;
    }

    /** What is live, or the recording while nothing is. */
    private Seen shown(Seen now) {
        return recording == null || live(now) ? now : recording.seen();
    }

    private List<Text> notes() {
        List<String> notes = sources.notes();
        List<Text> shown =
                new ArrayList<>(notes.stream().limit(MOST_NOTES).map(Text::same).toList());
        if (notes.size() > MOST_NOTES) {
            shown.add(Text.format("%1$d more like these", "另有 %1$d 条类似情况", notes.size() - MOST_NOTES));
        }
        return shown;
    }

    /** A step as {@code /metrics} tells it. */
    private final class ForMetrics implements LastStep {
        private final Seen seen;
        private final Supplier<Health> health;

        ForMetrics(Seen seen) {
            this.seen = seen;
            health = new Lazy<>(() -> new Health(
                    seen.targetCounts().up(),
                    seen.targetCounts().all() - seen.targetCounts().up(),
                    pending(),
                    keeper.problem().isEmpty(),
                    seen.answers()));
        }

        @Override
        public Health health() {
            return health.get();
        }

        @Override
        public int waiting() {
            return sources.waiting();
        }

        @Override
        public List<Diagnosis> current() {
            return seen.current();
        }

        @Override
        public Map<String, Double> skews() {
            Map<String, Double> skews = new LinkedHashMap<>();
            sources.skewsP99Millis().forEach((group, millis) -> skews.put(group, millis / 1e3));
            return skews;
        }

        @Override
        public void values(Taker taker) {
            List<Scope> scopes = seen.byWeight();
            for (int from = 0; from < scopes.size(); from += SCOPES_AT_ONCE) {
                List<Scope> few = scopes.subList(from, Math.min(scopes.size(), from + SCOPES_AT_ONCE));
                look(() -> {
                    few.forEach(scope -> tick.timeline().latest(scope, taker::take));
                    return few;
                });
            }
        }
    }
}
