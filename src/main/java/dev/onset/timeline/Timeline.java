package dev.onset.timeline;

import dev.onset.signals.Bounds;
import dev.onset.signals.Distribution;
import dev.onset.signals.Fault;
import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Target;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was measured, on one axis. Scrapes of a step are accepted in any order; then the step is closed, which
 * fills gaps with their reasons and computes what follows from the columns. One thread at a time.
 */
public final class Timeline {
    private static final int MAX_FALLEN = 20;
    /** How far answers may run ahead of the step that is closed last. */
    private static final int AHEAD = Column.OPEN - Block.STEPS;

    private final TimeAxis axis;
    private final int capacity;
    private final double floorScale;
    private Bounds bounds = Bounds.USUAL;
    private final Map<Scope, ScopeColumns> scopes = new LinkedHashMap<>();
    private final Map<Target, TargetStatus> targets = new LinkedHashMap<>();
    private final Map<Scope, TargetStatus> byScope = new HashMap<>();
    private final Block.Packer packer = new Block.Packer();
    private final SharedBounds sharedBounds = new SharedBounds();
    private final Topology topology = new Topology();
    /** Changes of series that many windows share, as of the last closed step. */
    private final Map<Shared, List<Change>> shared = new ConcurrentHashMap<>();

    private @Nullable Map<ScopeKind, List<Scope>> byKind;
    private long firstClosed = Long.MIN_VALUE;
    private long closed = Long.MIN_VALUE;
    private long knownUntilMillis = Long.MIN_VALUE;

    private record Shared(Scope scope, Shift shift) {}

    /** How a target did in its latest step. */
    public static final class TargetStatus {
        private final Target target;
        /** Its own scope, for findings about the watching itself. */
        private final Scope itself;

        private @Nullable Scope scope;
        private @Nullable Identity identity;
        private @Nullable ScopeColumns about;
        private long answeredStep = Long.MIN_VALUE;
        private long missedStep = Long.MIN_VALUE;
        private long lastAnswerMillis = Long.MIN_VALUE;
        private Scrape.@Nullable Missed missed;
        private List<Fault> faults = List.of();
        private int missedInRow;
        private final Processes processes = new Processes();
        private final Set<Signal> fallen = new LinkedHashSet<>();

        TargetStatus(Target target) {
            this.target = target;
            itself = Scope.target(target);
        }

        private void answered(long step, Scrape.Scraped answer) {
            scope = answer.identity().scope();
            answeredStep = step;
            lastAnswerMillis = answer.atMillis();
            faults = answer.faults();
            fallen.clear();
        }

        public Target target() {
            return target;
        }

        /** What it reports about; null until its first answer. */
        public @Nullable Scope scope() {
            return scope;
        }

        public boolean up() {
            return missedInRow == 0 && answeredStep != Long.MIN_VALUE;
        }

        /** Counters that fell in the latest answer although the process did not restart. */
        public Set<Signal> fallen() {
            return Set.copyOf(fallen);
        }

        public int missedInRow() {
            return missedInRow;
        }

        /** The latest failure, also when it is over. */
        public Scrape.@Nullable Missed missed() {
            return missed;
        }

        /** What could not be used of the latest answer, and what is wrong with who answers. */
        public List<Fault> faults() {
            return processes
                    .fault(answeredStep)
                    .map(fault ->
                            Stream.concat(Stream.of(fault), faults.stream()).toList())
                    .orElse(faults);
        }

        /** Epoch milliseconds; {@link Long#MIN_VALUE} before the first answer. */
        public long lastAnswerMillis() {
            return lastAnswerMillis;
        }
    }

    /**
     * @param axis the grid
     * @param capacity how many steps are kept
     * @param floorScale multiplies every absolute rate floor; 1 in production, less for a laptop
     */
    public Timeline(TimeAxis axis, int capacity, double floorScale) {
        this.axis = axis;
        this.capacity = capacity;
        this.floorScale = floorScale;
    }

    /** A timeline that keeps two hours. */
    public static Timeline of(TimeAxis axis, double floorScale) {
        return new Timeline(axis, (int) (7_200_000 / axis.stepMillis()), floorScale);
    }

    public TimeAxis axis() {
        return axis;
    }

    public double floorScale() {
        return floorScale;
    }

    /** Rules judge by these from now on. */
    public void judgeBy(Bounds set) {
        bounds = set;
    }

    Bounds bounds() {
        return bounds;
    }

    /** The last closed step; {@link Long#MIN_VALUE} before the first. */
    public long closedStep() {
        return closed;
    }

    public Topology topology() {
        return topology;
    }

    public Collection<TargetStatus> targets() {
        return List.copyOf(targets.values());
    }

    /** A setting or a state in words of a scope, null when unknown. */
    public @Nullable String fact(Scope scope, String key) {
        ScopeColumns about = scopes.get(scope);
        return about == null ? null : about.facts.get(key);
    }

    /** Whether anything is kept about a scope. */
    public boolean has(Scope scope) {
        return scopes.containsKey(scope);
    }

    public List<Scope> scopes(ScopeKind kind) {
        Map<ScopeKind, List<Scope>> all = byKind;
        if (all == null) {
            all = scopes.keySet().stream().collect(Collectors.groupingBy(Scope::kind));
            byKind = all;
        }
        return Collections.unmodifiableList(all.getOrDefault(kind, List.of()));
    }

    /** Takes in one answer. Answers of steps that are closed already change nothing but moments, which have own times. */
    public void accept(Scrape scrape) {
        TargetStatus status = targets.computeIfAbsent(scrape.target(), this::known);
        long step = axis.step(scrape.atMillis());
        if (scrape instanceof Scrape.Missed missed) {
            if (missed.decidesUp()) {
                status.missed = missed;
                status.missedStep = step;
            }
            return;
        }
        if (closed != Long.MIN_VALUE && step > closed + AHEAD) {
            close(step - AHEAD);
        }
        Scrape.Scraped scraped = (Scrape.Scraped) scrape;
        ScopeColumns about = learn(status, scraped, step);
        if (!scraped.decidesUp() || step <= closed || status.answeredStep == step) {
            return;
        }
        status.answered(step, scraped);
        boolean older = status.processes.olderAnswers(scraped, step);
        boolean restarted = older || restarted(about, scraped);
        if (restarted) {
            about.restartedStep = step;
        }
        ScopeColumns sampled = about;
        for (Sample sample : scraped.samples()) {
            sampled = sampled.scope.equals(sample.scope()) ? sampled : columns(sample.scope(), step);
            fill(sampled, status, scraped.atMillis(), step, sample, restarted);
        }
        for (Distribution distribution : scraped.distributions()) {
            sampled = sampled.scope.equals(distribution.scope()) ? sampled : columns(distribution.scope(), step);
            Column column = sampled.columnFor(distribution.signal(), "");
            if (owns(column, status, step)) {
                column.distribution(step, distribution, scraped.atMillis(), staleAfterMillis(), restarted);
            }
        }
    }

    /** Who answers and what it says in words; nearly always what was known. */
    private ScopeColumns learn(TargetStatus status, Scrape.Scraped scraped, long step) {
        Identity identity = scraped.identity();
        ScopeColumns about = status.about;
        if (about == null || about.forgotten || !identity.equals(status.identity)) {
            about = columns(identity.scope(), step);
            status.about = about;
            status.identity = identity;
            topology.learn(scraped.target(), identity);
        }
        about.answeredStep = Math.max(about.answeredStep, step);
        about.facts.putAll(scraped.facts());
        if (identity.version() != null) {
            about.version = identity.version();
        }
        scraped.moments().forEach(about.moments::add);
        return about;
    }

    /** Takes one cell of the last closed step. */
    @FunctionalInterface
    public interface CellTaker {
        void take(Scope scope, Signal signal, String part, double value);
    }

    /** Every cell of a scope in the last closed step; NaN where there is a gap. */
    public void latest(Scope scope, CellTaker taker) {
        ScopeColumns about = scopes.get(scope);
        if (about != null) {
            about.inOrder(column -> taker.take(scope, column.signal, column.part, column.value(closed)));
        }
    }

    private TargetStatus known(Target target) {
        TargetStatus status = new TargetStatus(target);
        byScope.put(status.itself, status);
        return status;
    }

    /** Closes a step, and any before it that got no answer at all. */
    public void close(long step) {
        for (long s = closed == Long.MIN_VALUE ? step : Math.max(closed + 1, step - capacity); s <= step; s++) {
            closeOne(s);
        }
    }

    /** The window that ends with the last closed step, of one scope and everything it is connected to. */
    public Window window(Scope scope) {
        return new Window(this, scope, closed, (int) Math.min(capacity, closed - firstClosed + 1));
    }

    /**
     * The window that ended with an earlier step: its series are what they were then, settings and connections what they are
     * now, and moments of its last step count even where they became known in the next one.
     *
     * @return null when that step is not kept, or not closed yet
     */
    public @Nullable Window windowAt(Scope scope, long step) {
        int kept = (int) Math.min(capacity - (closed - step), step - firstClosed + 1);
        return closed == Long.MIN_VALUE || step > closed || kept <= 0 || !scopes.containsKey(scope)
                ? null
                : new Window(this, scope, step, kept);
    }

    /** Whether a window ends with the last closed step. */
    boolean isNewest(long step) {
        return step == closed;
    }

    /** Time of the newest answer that the last closed step was judged on: later moments are not known yet. */
    public long knownUntilMillis() {
        return knownUntilMillis;
    }

    /** Changes of one scope's series outside all restarts: whatever window asks, the answer is the same. */
    List<Change> shared(Scope scope, Shift shift, Supplier<List<Change>> search) {
        Shared key = new Shared(scope, shift);
        List<Change> known = shared.get(key);
        if (known == null) {
            known = search.get();
            shared.put(key, known);
        }
        return known;
    }

    @Nullable
    ScopeColumns find(Scope scope) {
        return scopes.get(scope);
    }

    private void closeOne(long step) {
        shared.clear();
        closed = step;
        firstClosed = firstClosed == Long.MIN_VALUE ? step : firstClosed;
        for (TargetStatus status : targets.values()) {
            boolean answered = status.answeredStep == step;
            status.missedInRow = answered ? 0 : status.missedInRow + 1;
            columns(status.itself, step).columnFor(Signal.ANSWERED, "").put(step, answered ? 1 : 0);
        }
        long latest = latestAnswer(step);
        long oldest = axis.startMillis(step - capacity);
        for (ScopeColumns about : scopes.values()) {
            if (about.closedAt == Long.MIN_VALUE) {
                about.closedAt = step;
            }
            about.times.missed(step);
            fillGaps(about, step);
            about.moments.forgetBefore(oldest);
        }
        forget(step);
        knownUntilMillis = latest;
        new Derivation(this, step, latest).run();
        scopes.values().forEach(about -> about.sealUpTo(step));
    }

    /** Mounts come and go with their pods: what has not answered for as long as is kept is gone. */
    private void forget(long step) {
        scopes.values().removeIf(about -> {
            boolean gone = about.scope.kind() != ScopeKind.TARGET && about.answeredStep < step - capacity;
            if (gone) {
                byKind = null;
                about.forgotten = true;
                topology.forget(about.scope);
            }
            return gone;
        });
    }

    private long latestAnswer(long step) {
        long latest = axis.startMillis(step);
        for (TargetStatus status : targets.values()) {
            if (status.answeredStep == step) {
                latest = Math.max(latest, status.lastAnswerMillis);
            }
        }
        return latest;
    }

    private void fillGaps(ScopeColumns about, long step) {
        for (Column column : about.all()) {
            TargetStatus owner = column.owner;
            if (owner != null && !column.filled(step) && column.signal.kind() != Signal.Kind.DERIVED) {
                column.gap(step, reason(owner, step));
            }
        }
    }

    private static Gap reason(TargetStatus owner, long step) {
        if (owner.answeredStep == step) {
            return Gap.NOT_EXPORTED;
        }
        return owner.missedStep == step && owner.missed != null ? owner.missed.reason() : Gap.TIMED_OUT;
    }

    private void fill(
            ScopeColumns about, TargetStatus from, long atMillis, long step, Sample sample, boolean restarted) {
        Signal signal = sample.signal();
        about.answeredStep = Math.max(about.answeredStep, step);
        about.times.answered(step, atMillis);
        if (!about.hasRoom(signal, sample.part())) {
            return;
        }
        Column column = about.columnFor(signal, sample.part());
        if (!owns(column, from, step)) {
            return;
        }
        switch (signal.kind()) {
            case COUNTER -> {
                // A counter that falls while its process goes on is bad data, not a restart.
                if (sample.value() < column.raw() && !restarted && from.fallen.size() < MAX_FALLEN) {
                    from.fallen.add(signal);
                }
                column.count(step, sample.value(), atMillis, staleAfterMillis(signal), restarted);
            }
            case GAUGE -> column.gauge(step, sample.value(), atMillis);
            case HISTOGRAM, DERIVED -> throw new IllegalArgumentException(signal + " is not sampled");
        }
    }

    private static boolean owns(Column column, TargetStatus target, long step) {
        TargetStatus owner = column.owner;
        if (owner == null || column.last() < step - 3) {
            column.owner = target;
            return !column.filled(step);
        }
        return owner.target.address().equals(target.target.address()) && !column.filled(step);
    }

    /** A new process: its age fell, or its start moved. */
    private static boolean restarted(ScopeColumns about, Scrape.Scraped scraped) {
        for (Sample sample : scraped.samples()) {
            Signal signal = sample.signal();
            boolean age = signal == Signal.UPTIME || signal == Signal.REDIS_UPTIME;
            if ((age || signal == Signal.PROCESS_START) && sample.scope().equals(about.scope)) {
                Column column = about.column(signal, "");
                double before = column == null ? Double.NaN : column.raw();
                if (age ? sample.value() < before - 1 : sample.value() > before + 2) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Command statistics are asked for once a minute only. */
    private long staleAfterMillis(Signal signal) {
        boolean slow = signal == Signal.COMMAND_SECONDS || signal == Signal.COMMAND_CALLS;
        return slow ? Math.max(90_000, staleAfterMillis()) : staleAfterMillis();
    }

    private long staleAfterMillis() {
        return axis.stepMillis() * 5 / 2;
    }

    private ScopeColumns columns(Scope scope, long step) {
        ScopeColumns known = scopes.get(scope);
        if (known != null) {
            return known;
        }
        byKind = null;
        long first = closed == Long.MIN_VALUE ? step : Math.min(step, closed + 1);
        ScopeColumns columns = new ScopeColumns(scope, axis, capacity, first, packer, sharedBounds);
        scopes.put(scope, columns);
        return columns;
    }

    /** How a target is doing, by its own scope. */
    @Nullable
    TargetStatus target(Scope target) {
        return byScope.get(target);
    }
}
