package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.outlets.api.Status;
import dev.onset.outlets.api.Watched;
import dev.onset.rules.RuleCard;
import dev.onset.signals.Facts;
import dev.onset.signals.Fault;
import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import dev.onset.sources.live.TargetState;
import dev.onset.timeline.Timeline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is known after a step, taken in one go while nothing moves. It never changes, so any number of pages may read it
 * while the next step is taken in; what needs words or an order is worked out when somebody first asks.
 */
final class Seen {
    private static final List<ScopeKind> LISTED =
            List.of(ScopeKind.JOB, ScopeKind.MOUNT, ScopeKind.REDIS, ScopeKind.HOST);

    private final long lastStepMillis;
    private final long stepMillis;
    private final List<RuleCard> cards;
    private final List<Diagnosis> current;
    private final Map<ScopeKind, List<Scope>> scopes;
    private final Map<String, Integer> answers;
    private final Status.Counts counts;
    private final Map<Target, Trouble> troubles;
    private final Set<Scope> unmonitored;

    private final Supplier<List<TargetState>> asked;
    private final Supplier<List<Status.TargetState>> targets = new Lazy<>(this::describeTargets);
    private final Supplier<Status.TargetCounts> targetCounts = new Lazy<>(this::countTargets);
    private final Supplier<List<Status.TargetState>> firstTargets = new Lazy<>(this::chooseTargets);
    private final Supplier<List<Scope>> ordered = new Lazy<>(this::orderScopes);
    private final Supplier<List<Status.CannotJudge>> cannotJudge;

    /** What was wrong with the latest answer of a target. */
    private record Trouble(Collection<Signal> fallen, List<Fault> faults) {}

    private Seen(Tick tick, Supplier<List<TargetState>> asked) {
        Timeline timeline = tick.timeline();
        long closed = timeline.closedStep();
        lastStepMillis = closed == Long.MIN_VALUE ? 0 : timeline.axis().startMillis(closed + 1);
        stepMillis = timeline.axis().stepMillis();
        cards = tick.rules().cards();
        current = tick.current();
        scopes = new EnumMap<>(ScopeKind.class);
        for (ScopeKind kind : ScopeKind.values()) {
            scopes.put(kind, timeline.scopes(kind));
        }
        Unsure unsure = new Unsure(tick.judgements());
        answers = unsure.answers();
        cannotJudge = new Lazy<>(() -> unsure.grouped(cards));
        counts = count(timeline);
        troubles = troubles(timeline);
        unmonitored = scopes(ScopeKind.REDIS).stream()
                .filter(redis -> "0".equals(timeline.fact(redis, Facts.REDIS_CONFIG + "latency-monitor-threshold")))
                .collect(Collectors.toSet());
        this.asked = new Lazy<>(asked);
    }

    /** To be called while the tick does not move. */
    static Seen of(Tick tick, Supplier<List<TargetState>> asked) {
        return new Seen(tick, asked);
    }

    private Status.Counts count(Timeline timeline) {
        long volumes = scopes(ScopeKind.MOUNT).stream()
                .map(timeline.topology()::mount)
                .filter(Objects::nonNull)
                .map(Identity::volume)
                .distinct()
                .count();
        int accelerators = scopes(ScopeKind.JOB).stream()
                .map(timeline::window)
                .mapToInt(window -> Math.max(
                        window.parts(Signal.ACCELERATOR_USE).size(),
                        window.parts(Signal.ACCELERATOR_ENGINE).size()))
                .sum();
        return new Status.Counts(
                (int) volumes,
                scopes(ScopeKind.MOUNT).size(),
                scopes(ScopeKind.HOST).size(),
                scopes(ScopeKind.REDIS).size(),
                accelerators);
    }

    private static Map<Target, Trouble> troubles(Timeline timeline) {
        Map<Target, Trouble> troubles = new HashMap<>();
        for (Timeline.TargetStatus status : timeline.targets()) {
            List<Fault> faults = status.up() ? status.faults() : List.of();
            Set<Signal> fallen = status.fallen();
            if (!faults.isEmpty() || !fallen.isEmpty()) {
                troubles.put(status.target(), new Trouble(fallen, faults));
            }
        }
        return troubles;
    }

    long lastStepMillis() {
        return lastStepMillis;
    }

    long stepMillis() {
        return stepMillis;
    }

    int rules() {
        return cards.size();
    }

    Status.Counts counts() {
        return counts;
    }

    /** Every diagnosis that is not resolved. */
    List<Diagnosis> current() {
        return current;
    }

    List<Scope> scopes(ScopeKind kind) {
        return scopes.getOrDefault(kind, List.of());
    }

    /** Everything but targets, {@link Watched#BY_NAME}. */
    List<Scope> scopes() {
        return ordered.get();
    }

    /** A few of each kind. */
    List<Scope> firstScopes() {
        return LISTED.stream()
                .flatMap(kind -> scopes(kind).stream().limit(Status.MOST_SCOPES))
                .toList();
    }

    private List<Scope> orderScopes() {
        return LISTED.stream()
                .flatMap(kind -> scopes(kind).stream())
                .sorted(Watched.BY_NAME)
                .toList();
    }

    /** Everything, in the order in which its values matter: what has an incident, then its whole group. */
    List<Scope> byWeight() {
        Set<Scope> open = current.stream().map(Diagnosis::scope).collect(Collectors.toSet());
        Set<String> groups = open.stream().map(Scope::group).collect(Collectors.toSet());
        Map<Integer, List<Scope>> byWeight = new TreeMap<>();
        Stream.concat(scopes().stream(), scopes(ScopeKind.TARGET).stream())
                .forEach(scope -> byWeight.computeIfAbsent(weight(scope, open, groups), weight -> new ArrayList<>())
                        .add(scope));
        return byWeight.values().stream().flatMap(List::stream).toList();
    }

    private static int weight(Scope scope, Set<Scope> open, Set<String> groups) {
        return switch (scope.kind()) {
            case JOB -> 0;
            case REDIS -> 1;
            case MOUNT, HOST -> open.contains(scope) ? 2 : groups.contains(scope.group()) ? 3 : 4;
            case TARGET -> open.contains(scope) ? 2 : 5;
        };
    }

    List<Status.TargetState> targets() {
        return targets.get();
    }

    Status.TargetCounts targetCounts() {
        return targetCounts.get();
    }

    /** Those that need attention, then others. */
    List<Status.TargetState> firstTargets() {
        return firstTargets.get();
    }

    private Status.TargetCounts countTargets() {
        int up = 0;
        int notAsked = 0;
        int faulty = 0;
        for (TargetState target : asked.get()) {
            up += target.up() ? 1 : 0;
            notAsked += target.sinceMillis() == 0 ? 1 : 0;
            faulty += troubles.containsKey(target.target()) ? 1 : 0;
        }
        return new Status.TargetCounts(asked.get().size(), up, notAsked, faulty);
    }

    private List<Status.TargetState> chooseTargets() {
        return targets().stream()
                .sorted(Comparator.comparingInt(Status.TargetState::rank))
                .limit(Status.MOST_TARGETS)
                .toList();
    }

    private List<Status.TargetState> describeTargets() {
        return asked.get().stream()
                .map(this::state)
                .sorted(Status.TargetState.BY_NAME)
                .toList();
    }

    private Status.TargetState state(TargetState asked) {
        Target target = asked.target();
        Text error = asked.up() || asked.missing() == null
                ? null
                : asked.missing().text().plus(Text.same("(" + asked.detail() + ")"));
        return new Status.TargetState(
                target.kind(),
                target.address(),
                target.host(),
                target.group(),
                asked.up(),
                asked.sinceMillis(),
                error,
                faults(target),
                notes(asked),
                () -> {
                    TargetState.Asking asking = asked.asking().get();
                    return new Status.Asking(asking.skewP99Millis(), asking.medianMillis(), asking.medianBytes());
                });
    }

    private List<Text> faults(Target target) {
        Trouble trouble = troubles.get(target);
        if (trouble == null) {
            return List.of();
        }
        List<Text> faults = new ArrayList<>();
        if (!trouble.fallen.isEmpty()) {
            faults.add(Text.format(
                    "counters fell although the process did not restart: %1$s",
                    "进程未重启但计数器变小：%1$s",
                    trouble.fallen.stream().map(Signal::id).sorted().collect(Collectors.joining(", "))));
        }
        for (Fault fault : trouble.faults) {
            faults.add(
                    fault.line() > 0
                            ? Text.format("line %1$d:", "第 %1$d 行：", fault.line())
                                    .plus(fault.reason())
                            : fault.reason());
        }
        return faults;
    }

    private List<Text> notes(TargetState asked) {
        List<Text> notes = new ArrayList<>();
        if (!asked.refused().isEmpty()) {
            notes.add(Text.format(
                    "refuses %1$s: what they would tell is lost",
                    "拒绝 %1$s：相应信息缺失", String.join(", ", asked.refused())));
        }
        if (unmonitored.contains(
                Scope.redis(asked.target().group(), asked.target().address()))) {
            notes.add(new Text(
                    "its latency monitor is off, so its own events are not seen: redis-cli CONFIG SET"
                            + " latency-monitor-threshold 10",
                    "延迟监控未开启，看不到它自身的事件：redis-cli CONFIG SET latency-monitor-threshold 10"));
        }
        if (asked.discovered()) {
            notes.add(new Text("found in the volume's metadata", "由卷元数据发现"));
        }
        return notes;
    }

    /** How many judgements were quiet, found something, or were unsure. */
    Map<String, Integer> answers() {
        return answers;
    }

    /** Rules that miss their inputs; a rule with nothing of its kind to judge says so once. */
    List<Status.CannotJudge> cannotJudge() {
        return cannotJudge.get();
    }
}
