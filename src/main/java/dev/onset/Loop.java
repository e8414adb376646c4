package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Evidence;
import dev.onset.diagnoses.Incidents;
import dev.onset.diagnoses.Keeper;
import dev.onset.diagnoses.Tracks;
import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.outlets.api.Changes;
import dev.onset.outlets.api.Status;
import dev.onset.outlets.api.Watched;
import dev.onset.outlets.metrics.Health;
import dev.onset.outlets.metrics.Metrics;
import dev.onset.outlets.metrics.Value;
import dev.onset.rules.Judgement;
import dev.onset.rules.Reason;
import dev.onset.rules.RuleCard;
import dev.onset.rules.Verdict;
import dev.onset.signals.Facts;
import dev.onset.signals.Identity;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.sources.Answer;
import dev.onset.sources.live.LiveSources;
import dev.onset.sources.live.TargetState;
import dev.onset.sources.settings.SourceSettings;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The live run: answers go into the tick as they come; when a step is complete it is judged, kept, and told. What the
 * page asks for is read from the same tick, one at a time.
 */
final class Loop implements Watched, SmartLifecycle {
    private final SourceSettings settings;
    private final LiveSources sources;
    private final SqliteStore store;
    private final Keeper keeper;
    private final Changes changes;
    private final Metrics metrics;
    private final Clock clock;
    private final @Nullable ShownRecording recording;
    private final Tick tick;
    private final Object lock = new Object();
    private final long sinceMillis;
    private volatile boolean running;

    Loop(
            SourceSettings settings,
            MetricDictionary dictionary,
            LiveSources sources,
            SqliteStore store,
            Keeper keeper,
            Changes changes,
            Metrics metrics,
            Clock clock,
            @Nullable ShownRecording recording) {
        this.settings = settings;
        this.sources = sources;
        this.store = store;
        this.keeper = keeper;
        this.changes = changes;
        this.metrics = metrics;
        this.clock = clock;
        this.recording = recording;
        sinceMillis = clock.millis();
        tick = new Tick(TimeAxis.of(settings.step()), settings.floorScale(), dictionary, null);
        tick.resume(store.diagnoses().unresolved());
    }

    @Override
    public void start() {
        running = true;
        sources.start(this::take, this::complete);
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void take(Answer answer) {
        Scrape scrape;
        synchronized (lock) {
            scrape = tick.take(answer);
        }
        metrics.scraped(scrape, seconds(answer.tookSeconds()));
    }

    private void complete(long step) {
        long began = System.nanoTime();
        Incidents.Outcome outcome;
        synchronized (lock) {
            outcome = tick.close(step);
        }
        metrics.judged(Duration.ofNanos(System.nanoTime() - began));
        keeper.keep(outcome.touched(), outcome.changes());
        changes.publish(new dev.onset.outlets.api.Tick(
                (step + 1) * settings.step().toMillis(),
                outcome.touched().stream().map(Diagnosis::id).toList()));
        measure(Duration.ofNanos(System.nanoTime() - began));
    }

    /** Our own health, the open diagnoses and the aligned signals, for {@code /metrics}. */
    private void measure(Duration took) {
        List<TargetState> targets = sources.targets();
        int up = (int) targets.stream().filter(TargetState::up).count();
        targets.stream().map(target -> target.target().group()).distinct().forEach(group -> {
            double skew = sources.skewP99Millis(group);
            if (!Double.isNaN(skew)) {
                metrics.skew(group, seconds(skew / 1e3));
            }
        });
        Map<String, Integer> answers = new HashMap<>();
        tick.judgements()
                .forEach(judgement -> answers.merge(
                        judgement.verdict().fold(quiet -> "quiet", found -> "found", unsure -> "unsure"),
                        1,
                        Integer::sum));
        Health health =
                new Health(up, targets.size() - up, pending(), keeper.problem().isEmpty(), answers);
        List<Value> values = new ArrayList<>();
        List<Diagnosis> current;
        synchronized (lock) {
            current = tick.current();
            tick.timeline().latest((scope, signal, part, value) -> values.add(new Value(scope, signal, part, value)));
        }
        metrics.ticked(took, health, current, values);
    }

    private int pending() {
        return (int) store.outbox().tallies().stream()
                .mapToLong(tally -> tally.pending())
                .sum();
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    @Override
    public Optional<Evidence> timeline(Scope scope, List<Signal> signals, long fromMillis, long toMillis) {
        synchronized (lock) {
            Optional<Evidence> live = Tracks.of(tick.timeline(), scope, signals, fromMillis, toMillis);
            return live.isPresent() || recording == null
                    ? live
                    : Tracks.of(recording.tick().timeline(), scope, signals, fromMillis, toMillis);
        }
    }

    @Override
    public Status status() {
        synchronized (lock) {
            List<TargetState> targets = sources.targets();
            boolean live = !settings.groups().isEmpty() || targets.stream().anyMatch(TargetState::up);
            Tick shown = live || recording == null ? tick : recording.tick();
            Timeline timeline = shown.timeline();
            long closed = timeline.closedStep();
            return new Status(
                    clock.millis(),
                    sinceMillis,
                    closed == Long.MIN_VALUE ? 0 : timeline.axis().startMillis(closed + 1),
                    timeline.axis().stepMillis(),
                    live,
                    recording == null ? null : recording.name(),
                    counts(timeline),
                    shown.rules().cards().size(),
                    cannotJudge(shown),
                    targets.stream().map(this::state).toList(),
                    sources.notes().stream().map(Text::same).toList(),
                    pending(),
                    keeper.problem().map(Text::same).orElse(null),
                    scopes(timeline));
        }
    }

    private static Status.Counts counts(Timeline timeline) {
        List<Scope> mounts = timeline.scopes(ScopeKind.MOUNT);
        long volumes = mounts.stream()
                .map(timeline.topology()::mount)
                .filter(Objects::nonNull)
                .map(Identity::volume)
                .distinct()
                .count();
        int accelerators = timeline.scopes(ScopeKind.JOB).stream()
                .map(timeline::window)
                .mapToInt(window -> Math.max(
                        window.parts(Signal.ACCELERATOR_USE).size(),
                        window.parts(Signal.ACCELERATOR_ENGINE).size()))
                .sum();
        return new Status.Counts(
                (int) volumes,
                mounts.size(),
                timeline.scopes(ScopeKind.HOST).size(),
                timeline.scopes(ScopeKind.REDIS).size(),
                accelerators);
    }

    private static List<Scope> scopes(Timeline timeline) {
        List<Scope> scopes = new ArrayList<>();
        for (ScopeKind kind : List.of(ScopeKind.JOB, ScopeKind.MOUNT, ScopeKind.REDIS, ScopeKind.HOST)) {
            scopes.addAll(timeline.scopes(kind));
        }
        return scopes;
    }

    /** Rules that miss their inputs; a rule with nothing of its kind to judge says so once. */
    private static List<Status.CannotJudge> cannotJudge(Tick shown) {
        List<Status.CannotJudge> blind = new ArrayList<>();
        for (Judgement judgement : shown.judgements()) {
            if (judgement.verdict() instanceof Verdict.Unsure unsure) {
                blind.add(new Status.CannotJudge(judgement.card().id(), judgement.scope(), texts(unsure.missing())));
            }
        }
        for (RuleCard card : shown.rules().cards()) {
            if (shown.judgements().stream()
                    .noneMatch(judgement -> judgement.card().equals(card))) {
                blind.add(new Status.CannotJudge(
                        card.id(),
                        new Scope(card.scope(), "", "–"),
                        List.of(Text.format(
                                "no %1$s is watched",
                                "没有被监视的 %1$s", card.scope().name().toLowerCase(java.util.Locale.ROOT)))));
            }
        }
        return blind;
    }

    private static List<Text> texts(List<Reason> reasons) {
        return reasons.stream()
                .map(reason -> new Text(
                        reason.what().en() + ": " + reason.why().en(),
                        reason.what().zh() + "：" + reason.why().zh()))
                .toList();
    }

    private Status.TargetState state(TargetState asked) {
        List<Text> faults = new ArrayList<>();
        List<Text> notes = new ArrayList<>();
        for (Timeline.TargetStatus status : tick.timeline().targets()) {
            Scrape.Scraped scraped = status.scraped();
            if (status.target().equals(asked.target()) && !status.fallen().isEmpty()) {
                faults.add(Text.format(
                        "counters fell although the process did not restart: %1$s",
                        "进程未重启但计数器变小：%1$s",
                        status.fallen().stream().map(Signal::id).sorted().collect(Collectors.joining(", "))));
            }
            if (status.target().equals(asked.target()) && scraped != null && status.up()) {
                scraped.faults()
                        .forEach(fault -> faults.add(
                                fault.line() > 0
                                        ? Text.format("line %1$d:", "第 %1$d 行：", fault.line())
                                                .plus(fault.reason())
                                        : fault.reason()));
            }
        }
        if (!asked.refused().isEmpty()) {
            notes.add(Text.format(
                    "refuses %1$s: what they would tell is lost",
                    "拒绝 %1$s：相应信息缺失", String.join(", ", asked.refused())));
        }
        Scope redis = Scope.redis(asked.target().group(), asked.target().address());
        if ("0".equals(tick.timeline().fact(redis, Facts.REDIS_CONFIG + "latency-monitor-threshold"))) {
            notes.add(new Text(
                    "its latency monitor is off, so its own events are not seen: redis-cli CONFIG SET"
                            + " latency-monitor-threshold 10",
                    "延迟监控未开启，看不到它自身的事件：redis-cli CONFIG SET latency-monitor-threshold 10"));
        }
        if (asked.discovered()) {
            notes.add(new Text("found in the volume's metadata", "由卷元数据发现"));
        }
        Text error = asked.up() || asked.missing() == null
                ? null
                : asked.missing().text().plus(Text.same("(" + asked.detail() + ")"));
        return new Status.TargetState(
                asked.target().kind(),
                asked.target().address(),
                asked.target().host(),
                asked.target().group(),
                asked.up(),
                asked.sinceMillis(),
                error,
                faults,
                notes,
                asked.skewP99Millis(),
                asked.medianMillis(),
                asked.medianBytes());
    }
}
