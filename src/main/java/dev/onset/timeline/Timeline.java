package dev.onset.timeline;

import dev.onset.signals.Distribution;
import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Target;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was measured, on one axis. Scrapes of a step are accepted in any order; then the step is closed, which
 * fills gaps with their reasons and computes what follows from the columns. One thread at a time.
 */
public final class Timeline {
    private static final int MAX_FALLEN = 20;
    private static final int MAX_MOMENTS = 40_000;
    /** Devices of a signal: a hostile exporter can name any number, a job has one for each accelerator. */
    private static final int MAX_PARTS = 512;

    private static final int MAX_JOB_PARTS = 4_096;

    private final TimeAxis axis;
    private final int capacity;
    private final double floorScale;
    private final Map<Scope, ScopeColumns> scopes = new LinkedHashMap<>();
    private final Map<Target, TargetStatus> targets = new LinkedHashMap<>();
    private final Map<Scope, TargetStatus> byScope = new HashMap<>();
    private final Map<String, TargetStatus> byAddress = new HashMap<>();
    private final Topology topology = new Topology();
    /** Changes of series that many windows share, as of the last closed step. */
    private final Map<Shared, List<Change>> shared = new ConcurrentHashMap<>();

    private @Nullable Map<ScopeKind, List<Scope>> byKind;
    private long firstClosed = Long.MIN_VALUE;
    private long closed = Long.MIN_VALUE;
    private long knownUntilMillis = Long.MIN_VALUE;

    private record Shared(Scope scope, Shift shift) {}

    /** What is kept about one scope. */
    static final class ScopeColumns {
        final Scope scope;
        final Map<Signal, TreeMap<String, Column>> columns = new EnumMap<>(Signal.class);
        final Map<String, String> facts = new LinkedHashMap<>();
        final Deque<Moment> moments = new ArrayDeque<>();
        final Set<String> momentIds = new HashSet<>();
        final int[] masks;
        final Times times;
        /** Pings up to here are in the round-trip times of a closed step. */
        long pingsUntilMillis = Long.MIN_VALUE;

        long restartedStep = Long.MIN_VALUE;
        /** The latest step under {@link Mask#RESTART}. */
        long restartMaskedStep = Long.MIN_VALUE;

        long closedAt = Long.MIN_VALUE;
        long answeredStep = Long.MIN_VALUE;
        String version = "";

        ScopeColumns(Scope scope, int capacity) {
            this.scope = scope;
            masks = new int[capacity];
            times = new Times(capacity);
        }

        /** Whether one more series of this signal can be kept. */
        boolean hasRoom(Signal signal, String part) {
            TreeMap<String, Column> parts = columns.get(signal);
            int most = scope.kind() == ScopeKind.JOB ? MAX_JOB_PARTS : MAX_PARTS;
            return parts == null || parts.size() < most || parts.containsKey(part);
        }

        @Nullable
        Column column(Signal signal, String part) {
            TreeMap<String, Column> parts = columns.get(signal);
            return parts == null ? null : parts.get(part);
        }
    }

    /** How a target did in its latest step. */
    public static final class TargetStatus {
        private final Target target;
        private @Nullable Scope scope;
        private long answeredStep = Long.MIN_VALUE;
        private long missedStep = Long.MIN_VALUE;
        private long lastAnswerMillis = Long.MIN_VALUE;
        private Scrape.@Nullable Missed missed;
        private Scrape.@Nullable Scraped scraped;
        private int missedInRow;
        private final Set<Signal> fallen = new LinkedHashSet<>();

        TargetStatus(Target target) {
            this.target = target;
        }

        public Target target() {
            return target;
        }

        /** What it reports about; null until its first answer. */
        public @Nullable Scope scope() {
            return scope;
        }

        public boolean up() {
            return missedInRow == 0 && scraped != null;
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

        public Scrape.@Nullable Scraped scraped() {
            return scraped;
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
        if (scrape instanceof Scrape.Missed missed) {
            if (missed.decidesUp()) {
                status.missed = missed;
                status.missedStep = axis.step(missed.atMillis());
            }
            return;
        }
        Scrape.Scraped scraped = (Scrape.Scraped) scrape;
        Identity identity = scraped.identity();
        ScopeColumns about = columns(identity.scope());
        about.answeredStep = Math.max(about.answeredStep, axis.step(scraped.atMillis()));
        about.facts.putAll(scraped.facts());
        if (identity.version() != null) {
            about.version = identity.version();
        }
        scraped.moments().forEach(moment -> place(about, moment));
        topology.learn(scraped.target(), identity);
        if (!scraped.decidesUp()) {
            return;
        }
        long step = axis.step(scraped.atMillis());
        if (step <= closed || status.answeredStep == step) {
            return;
        }
        status.scope = identity.scope();
        status.answeredStep = step;
        status.lastAnswerMillis = scraped.atMillis();
        status.scraped = scraped;
        status.fallen.clear();
        boolean restarted = restarted(about, scraped);
        if (restarted) {
            about.restartedStep = step;
        }
        for (Sample sample : scraped.samples()) {
            fill(scraped, step, sample, restarted);
        }
        for (Distribution distribution : scraped.distributions()) {
            Column column = column(columns(distribution.scope()), distribution.signal(), "");
            if (owns(column, scraped.target(), step)) {
                column.distribution(step, distribution, scraped.atMillis(), staleAfterMillis(), restarted);
            }
        }
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
            about.columns.forEach((signal, parts) ->
                    parts.forEach((part, column) -> taker.take(scope, signal, part, column.value(closed))));
        }
    }

    private TargetStatus known(Target target) {
        TargetStatus status = new TargetStatus(target);
        byScope.put(Scope.target(target), status);
        byAddress.put(target.group() + "/" + target.address(), status);
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
            Scope target = Scope.target(status.target);
            Column up = column(columns(target), Signal.ANSWERED, "");
            up.put(step, answered ? 1 : 0);
        }
        long latest = latestAnswer(step);
        for (ScopeColumns about : List.copyOf(scopes.values())) {
            if (about.closedAt == Long.MIN_VALUE) {
                about.closedAt = step;
            }
            about.times.missed(step, axis.startMillis(step + 1));
            fillGaps(about, step);
            trim(about, step);
        }
        forget(step);
        knownUntilMillis = latest;
        new Derivation(this, step, latest).run();
    }

    /** Mounts come and go with their pods: what has not answered for as long as is kept is gone. */
    private void forget(long step) {
        scopes.values().removeIf(about -> {
            boolean gone = about.scope.kind() != ScopeKind.TARGET && about.answeredStep < step - capacity;
            if (gone) {
                byKind = null;
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
        for (TreeMap<String, Column> parts : about.columns.values()) {
            for (Column column : parts.values()) {
                if (!column.filled(step) && column.signal.kind() != Signal.Kind.DERIVED && !column.owner.isEmpty()) {
                    column.gap(step, reason(column, step));
                }
            }
        }
    }

    private Gap reason(Column column, long step) {
        TargetStatus status = byAddress.get(column.scope.group() + "/" + column.owner);
        if (status == null) {
            return Gap.TIMED_OUT;
        }
        if (status.answeredStep == step) {
            return Gap.NOT_EXPORTED;
        }
        return status.missedStep == step && status.missed != null ? status.missed.reason() : Gap.TIMED_OUT;
    }

    private void trim(ScopeColumns about, long step) {
        long oldest = axis.startMillis(step - capacity);
        while (!about.moments.isEmpty()
                && (about.moments.peekFirst().atMillis() < oldest || about.moments.size() > MAX_MOMENTS)) {
            Moment gone = about.moments.removeFirst();
            about.momentIds.remove(key(gone));
        }
    }

    private static String key(Moment moment) {
        return moment.kind() + moment.id();
    }

    private static void place(ScopeColumns about, Moment moment) {
        if (about.momentIds.add(key(moment))) {
            // Nearly always the newest; late ones (a latency history) are few.
            Deque<Moment> later = new ArrayDeque<>();
            while (!about.moments.isEmpty() && about.moments.peekLast().atMillis() > moment.atMillis()) {
                later.push(about.moments.removeLast());
            }
            about.moments.addLast(moment);
            while (!later.isEmpty()) {
                about.moments.addLast(later.pop());
            }
        }
    }

    private void fill(Scrape.Scraped scraped, long step, Sample sample, boolean restarted) {
        ScopeColumns about = columns(sample.scope());
        about.answeredStep = Math.max(about.answeredStep, step);
        about.times.answered(step, scraped.atMillis());
        if (!about.hasRoom(sample.signal(), sample.part())) {
            return;
        }
        Column column = column(about, sample.signal(), sample.part());
        if (!owns(column, scraped.target(), step)) {
            return;
        }
        switch (sample.signal().kind()) {
            case COUNTER -> {
                if (sample.value() < column.raw() && !restarted) {
                    noteFallen(scraped.target(), sample.signal());
                }
                column.count(step, sample.value(), scraped.atMillis(), staleAfterMillis(sample.signal()), restarted);
            }
            case GAUGE -> column.gauge(step, sample.value(), scraped.atMillis());
            case HISTOGRAM, DERIVED -> throw new IllegalArgumentException(sample.signal() + " is not sampled");
        }
    }

    private static boolean owns(Column column, Target target, long step) {
        boolean abandoned = column.last() < step - 3;
        if (column.owner.isEmpty() || abandoned) {
            column.owner = target.address();
        }
        return column.owner.equals(target.address()) && !column.filled(step);
    }

    /** A counter that falls while its process goes on is bad data, not a restart. */
    private void noteFallen(Target target, Signal signal) {
        TargetStatus status = targets.get(target);
        if (status != null && status.fallen.size() < MAX_FALLEN) {
            status.fallen.add(signal);
        }
    }

    /** A new process: its age fell, or its start moved. */
    private static boolean restarted(ScopeColumns about, Scrape.Scraped scraped) {
        for (Sample sample : scraped.samples()) {
            if (!sample.scope().equals(about.scope)) {
                continue;
            }
            Column column = about.column(sample.signal(), "");
            double before = column == null ? Double.NaN : column.raw();
            boolean age = sample.signal() == Signal.UPTIME || sample.signal() == Signal.REDIS_UPTIME;
            boolean younger = age && sample.value() < before - 1;
            boolean later = sample.signal() == Signal.PROCESS_START && sample.value() > before + 2;
            if (younger || later) {
                return true;
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

    ScopeColumns columns(Scope scope) {
        return scopes.computeIfAbsent(scope, s -> {
            byKind = null;
            return new ScopeColumns(s, capacity);
        });
    }

    Column column(ScopeColumns about, Signal signal, String part) {
        return about.columns
                .computeIfAbsent(signal, s -> new TreeMap<>())
                .computeIfAbsent(part, p -> new Column(about.scope, signal, p, capacity, about.times));
    }

    /** How a target is doing, by its own scope. */
    @Nullable
    TargetStatus target(Scope target) {
        return byScope.get(target);
    }
}
