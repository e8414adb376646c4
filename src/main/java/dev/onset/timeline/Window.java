package dev.onset.timeline;

import dev.onset.signals.Bound;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a rule sees: the latest steps of one scope and of everything it is really connected to. Index 0 is the oldest
 * step, {@code size() - 1} the newest.
 */
public final class Window {
    private static final int KINDS = ScopeKind.values().length;

    private final Timeline timeline;
    private final Scope scope;
    private final long last;
    private final int size;
    /** The first connected scope of each kind, by ordinal: looked up once. */
    private final @Nullable Scope[] first = new Scope[KINDS];

    private final @Nullable ScopeColumns[] firstColumns = new ScopeColumns[KINDS];
    private final boolean[] looked = new boolean[KINDS];
    private @Nullable Map<Shift, List<Change>> changes;

    Window(Timeline timeline, Scope scope, long last, int size) {
        this.timeline = timeline;
        this.scope = scope;
        this.last = last;
        this.size = size;
    }

    public Scope scope() {
        return scope;
    }

    public TimeAxis axis() {
        return timeline.axis();
    }

    public double floorScale() {
        return timeline.floorScale();
    }

    /** A rule's bound as it is set for this group. */
    public double bound(Bound bound) {
        return timeline.bounds().of(bound, scope.group());
    }

    /** A bound below which a rate is too small to speak of: demonstrations scale it down. */
    public double floor(Bound bound) {
        return floorScale() * bound(bound);
    }

    /** A bound that counts steps of 15 s, in steps of this axis. */
    public int steps(Bound bound) {
        return axis().steps((int) Math.round(bound(bound)));
    }

    public int size() {
        return size;
    }

    public int now() {
        return size - 1;
    }

    /** Start of a step, epoch milliseconds. */
    public long startMillis(int index) {
        return axis().startMillis(last - size + 1 + index);
    }

    /** The index of the step that an instant belongs to; may lie outside the window. */
    public int index(long atMillis) {
        return (int) Math.max(-1, Math.min(size, axis().step(atMillis) - (last - size + 1)));
    }

    /** The connected scopes of a kind; for the window's own kind only itself. */
    public List<Scope> connected(ScopeKind kind) {
        return timeline.topology().connected(scope, kind);
    }

    /** The first connected scope of a kind. */
    public @Nullable Scope first(ScopeKind kind) {
        if (!looked[kind.ordinal()]) {
            Scope found = timeline.topology().first(scope, kind);
            first[kind.ordinal()] = found;
            firstColumns[kind.ordinal()] = found == null ? null : timeline.find(found);
            looked[kind.ordinal()] = true;
        }
        return first[kind.ordinal()];
    }

    private @Nullable ScopeColumns columns(ScopeKind kind) {
        return first(kind) == null ? null : firstColumns[kind.ordinal()];
    }

    private @Nullable ScopeColumns columns(@Nullable Scope about) {
        return about == null ? null : about.equals(first(about.kind())) ? columns(about.kind()) : timeline.find(about);
    }

    /** The series of this scope, or of the first connected scope that a signal of this kind is about. */
    public Series series(Signal signal) {
        return series(signal, "");
    }

    public Series series(Signal signal, String part) {
        Scope about = first(signal.scope());
        return about == null ? absent(scope, signal, part) : series(about, signal, part);
    }

    public Series series(Scope about, Signal signal, String part) {
        ScopeColumns columns = columns(about);
        Column column = columns == null ? null : columns.column(signal, part);
        return column == null
                ? absent(about, signal, part)
                : new Series(about, signal, part, column, last - size + 1, size);
    }

    /** Every change of a signal in this window: searched once, and once for all windows that share the series. */
    List<Change> changes(Shift shift) {
        Series series = series(shift.signal());
        boolean shared = !series.scope().equals(scope) && !restarted() && timeline.isNewest(last);
        if (shared) {
            return timeline.shared(series.scope(), shift, () -> shift.in(this, series));
        }
        if (changes == null) {
            changes = new HashMap<>();
        }
        return changes.computeIfAbsent(shift, s -> s.in(this, series));
    }

    private boolean restarted() {
        ScopeColumns mount = columns(ScopeKind.MOUNT);
        return mount != null && mount.restartMaskedStep > last - size;
    }

    private Series absent(Scope about, Signal signal, String part) {
        return new Series(about, signal, part, null, last - size + 1, size);
    }

    /** The devices, accelerators or file systems that a signal is known for. */
    public List<String> parts(Signal signal) {
        ScopeColumns columns = columns(signal.scope());
        List<String> parts = new ArrayList<>();
        if (columns != null) {
            columns.parts(signal).forEach(column -> parts.add(column.part));
            parts.remove("");
        }
        return parts;
    }

    public boolean masked(int index, Mask mask) {
        ScopeColumns columns = columns(ScopeKind.MOUNT);
        return columns != null && index >= 0 && index < size && columns.masked(last - size + 1 + index, mask);
    }

    /** Share of the steps in {@code [from, to)} under a mask. */
    public double maskedShare(int from, int to, Mask mask) {
        int under = 0;
        for (int i = from; i < to; i++) {
            under += masked(i, mask) ? 1 : 0;
        }
        return to > from ? (double) under / (to - from) : 0;
    }

    /** Events of a connected Redis in the window, oldest first. */
    public List<Moment> moments(Moment.Kind kind) {
        return moments(kind, Double.NEGATIVE_INFINITY);
    }

    /** Those that took at least so long, or had no end. */
    public List<Moment> moments(Moment.Kind kind, double leastSeconds) {
        Scope redis = first(ScopeKind.REDIS);
        ScopeColumns columns = columns(ScopeKind.REDIS);
        return redis == null || columns == null
                ? List.of()
                : columns.moments.of(redis, kind, startMillis(0), knownUntilMillis(), leastSeconds);
    }

    private long knownUntilMillis() {
        return timeline.isNewest(last) ? timeline.knownUntilMillis() : axis().startMillis(last + 1);
    }

    /** A setting or a state in words of this scope, null when unknown. */
    public @Nullable String fact(String key) {
        return fact(scope, key);
    }

    public @Nullable String fact(@Nullable Scope about, String key) {
        ScopeColumns columns = columns(about);
        return columns == null ? null : columns.facts.get(key);
    }

    /** All facts of a scope whose key begins with {@code prefix}, without the prefix. */
    public Map<String, String> facts(@Nullable Scope about, String prefix) {
        ScopeColumns columns = columns(about);
        Map<String, String> facts = new TreeMap<>();
        if (columns != null) {
            columns.facts.forEach((key, value) -> {
                if (key.startsWith(prefix)) {
                    facts.put(key.substring(prefix.length()), value);
                }
            });
        }
        return facts;
    }

    /** Number of a setting, NaN when it is unknown or not a number. */
    public double number(@Nullable Scope about, String key) {
        String fact = fact(about, key);
        if (fact == null) {
            return Double.NaN;
        }
        try {
            return Double.parseDouble(fact);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    public Version version(@Nullable Scope about) {
        ScopeColumns columns = columns(about);
        return columns == null ? Version.UNKNOWN : Version.of(columns.version);
    }

    /** Volume, host and mount point of a mount, null for other scopes. */
    public @Nullable Identity mount(Scope mount) {
        return timeline.topology().mount(mount);
    }

    /** How the target of this window is doing; null for windows of anything else. */
    public Timeline.@Nullable TargetStatus target() {
        return timeline.target(scope);
    }
}
