package dev.onset.diagnoses;

import dev.onset.rules.Confidence;
import dev.onset.rules.Finding;
import dev.onset.rules.Judgement;
import dev.onset.rules.Onset;
import dev.onset.rules.Order;
import dev.onset.rules.RuleCard.Family;
import dev.onset.rules.Severity;
import dev.onset.rules.Verdict;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Several rules, or one rule on several mounts, may explain one event: one incident names one root cause. */
final class Arbiter {
    /**
     * A finding that stands.
     *
     * @param family of its rule
     * @param rule id
     * @param scope what it is about
     * @param finding the argument
     */
    record Standing(Family family, String rule, Scope scope, Finding finding) {}

    private static final String MISSES = "cache-miss-before-utilisation-drop";
    private static final String SLOW_STORE = "object-store-latency";
    private static final String FAILING_STORE = "object-store-throttling-errors";

    /** What a rule sees is part of what another one explains. */
    record Part(String part, String whole) {}

    /**
     * Where both stand in a group, the part loses its own incident and is named inside the whole. A whole that is itself a
     * part stands after it.
     */
    static final List<Part> PARTS = List.of(
            // Why a cache misses.
            new Part("cache-polluted-by-import", "writeback-read-collision"),
            new Part("cache-capacity-thrash", MISSES),
            new Part("cache-fill-drops", MISSES),
            new Part("cache-polluted-by-import", MISSES),
            new Part("cache-disk-slow-or-unstable", MISSES),
            // What a collision on the cache disk and a checkpoint do to the client.
            new Part("dirty-writeback-burst", "writeback-read-collision"),
            new Part("cache-disk-slow-or-unstable", "writeback-read-collision"),
            new Part("buffer-saturation", "writeback-read-collision"),
            new Part("buffer-saturation", "checkpoint-write-stall"),
            new Part("upload-concurrency-limited", "checkpoint-write-stall"),
            // A ceiling below which requests wait.
            new Part(SLOW_STORE, "bandwidth-cap-plateau"),
            new Part(SLOW_STORE, "network-saturation"),
            new Part("upload-concurrency-limited", "network-saturation"),
            // A client without CPU does everything slowly.
            new Part(SLOW_STORE, "client-cpu-saturated"),
            new Part("metadata-path-latency", "client-cpu-saturated"),
            new Part("cache-disk-slow-or-unstable", "client-cpu-saturated"),
            new Part("small-io-pattern", "client-cpu-saturated"),
            // Why the metadata engine is late.
            new Part("metadata-op-storm", "redis-cpu-contention"),
            new Part("metadata-path-latency", "redis-cpu-contention"));

    private Arbiter() {}

    /**
     * @param judgements of one tick
     * @param open scopes with an open incident, by rule: they stay the face of their cause
     */
    static List<Standing> standing(List<Judgement> judgements, Map<String, Set<Scope>> open) {
        List<Standing> found = new ArrayList<>();
        for (Judgement judgement : judgements) {
            if (judgement.verdict() instanceof Verdict.Found verdict) {
                found.add(new Standing(
                        judgement.card().family(), judgement.card().id(), judgement.scope(), verdict.finding()));
            }
        }
        List<Standing> merged = onePerCause(found, open);
        slowAndFailing(merged, open);
        missesAndStore(merged, found);
        parts(merged);
        merged.removeIf(standing -> withdrawn(standing, merged));
        return merged;
    }

    /** A store that answers late and refuses requests is one incident: a retry takes time, an overload shows as both. */
    private static void slowAndFailing(List<Standing> standing, Map<String, Set<Scope>> open) {
        List<Standing> slow = named(SLOW_STORE, standing);
        List<Standing> failing = named(FAILING_STORE, standing);
        for (Standing late : slow) {
            for (Standing refused : failing) {
                if (late.scope.group().equals(refused.scope.group())) {
                    boolean errorsLead = Comparator.comparing((Standing s) -> s.finding.severity())
                                    .thenComparing(s -> !isOpen(s.rule, s, open))
                                    .thenComparing(s -> s.rule.equals(FAILING_STORE) && !errorsFirst(refused, late))
                                    .compare(refused, late)
                            < 0;
                    inside(standing, errorsLead ? late : refused, errorsLead ? refused : late);
                }
            }
        }
        standing.removeIf(store -> (store.rule.equals(FAILING_STORE) && echoes(store, SLOW_STORE, slow, open))
                || (store.rule.equals(SLOW_STORE) && echoes(store, FAILING_STORE, failing, open)));
    }

    /** The echo of an incident that is open or just easing: retries end later than slowness, or the other way round. */
    private static boolean echoes(Standing store, String other, List<Standing> others, Map<String, Set<Scope>> open) {
        return store.finding.severity() != Severity.S1
                && others.stream().noneMatch(o -> sameGroup(o.scope, store))
                && !isOpen(store.rule, store, open)
                && isOpen(other, store, open);
    }

    private static boolean isOpen(String rule, Standing here, Map<String, Set<Scope>> open) {
        return open.getOrDefault(rule, Set.of()).stream().anyMatch(scope -> sameGroup(scope, here));
    }

    private static boolean sameGroup(Scope scope, Standing standing) {
        return scope.group().equals(standing.scope.group());
    }

    private static boolean errorsFirst(Standing failing, Standing slow) {
        List<Onset> errors = failing.finding.onsets();
        List<Onset> latency = slow.finding.onsets();
        return !errors.isEmpty() && !latency.isEmpty() && errors.get(0).order(latency.get(0)) == Order.BEFORE;
    }

    /**
     * Misses that rose load the store: what it then does belongs to them. Not where the store was bad before, nor where
     * another mount finds it bad without misses of its own.
     */
    private static void missesAndStore(List<Standing> standing, List<Standing> found) {
        for (Standing misses : named(MISSES, standing)) {
            for (Standing store : standing.stream()
                    .filter(other -> other.rule.equals(SLOW_STORE) || other.rule.equals(FAILING_STORE))
                    .toList()) {
                if (!store.scope.group().equals(misses.scope.group())) {
                    continue;
                }
                boolean elsewhere = found.stream()
                        .anyMatch(other -> other.rule.equals(store.rule)
                                && other.scope.group().equals(store.scope.group())
                                && named(MISSES, found).stream().noneMatch(m -> m.scope.equals(other.scope)));
                boolean storeLeads = elsewhere || firstOnset(store) < firstOnset(misses);
                inside(standing, storeLeads ? misses : store, storeLeads ? store : misses);
            }
        }
    }

    /** Data at risk is a matter of its own, whatever else explains it. */
    private static void parts(List<Standing> standing) {
        for (Part row : PARTS) {
            for (Standing part : named(row.part, standing)) {
                named(row.whole, standing).stream()
                        .filter(whole -> sameGroup(whole.scope, part) && part.finding.severity() != Severity.S1)
                        .findFirst()
                        .ifPresent(whole -> inside(standing, part, whole));
            }
        }
    }

    private static List<Standing> named(String rule, List<Standing> standing) {
        return standing.stream().filter(s -> s.rule.equals(rule)).toList();
    }

    /** The part loses its own incident and is named inside the whole. */
    private static void inside(List<Standing> standing, Standing part, Standing whole) {
        int index = standing.indexOf(whole);
        if (index >= 0 && standing.remove(part)) {
            standing.replaceAll(s ->
                    s.equals(whole) ? new Standing(s.family, s.rule, s.scope, s.finding.withSubCause(part.rule)) : s);
        }
    }

    /** The same cause on several mounts of a job is one incident. */
    private static List<Standing> onePerCause(List<Standing> found, Map<String, Set<Scope>> open) {
        Map<String, List<Standing>> causes = new LinkedHashMap<>();
        for (Standing standing : found) {
            String key = standing.rule + "/" + (ofTheGroup(standing) ? standing.scope.group() : standing.scope);
            causes.computeIfAbsent(key, k -> new ArrayList<>()).add(standing);
        }
        List<Standing> merged = new ArrayList<>();
        for (List<Standing> same : causes.values()) {
            Set<Scope> known = open.getOrDefault(same.get(0).rule, Set.of());
            Standing face = same.stream()
                    .min(Comparator.comparing((Standing s) -> !known.contains(s.scope))
                            .thenComparing(s -> s.finding.severity())
                            .thenComparingLong(Arbiter::firstOnset))
                    .orElseThrow();
            merged.add(same.size() == 1 ? face : withOthers(face, same.size() - 1));
        }
        return merged;
    }

    private static boolean ofTheGroup(Standing standing) {
        return switch (standing.family) {
            case STORAGE, TRAINING, VOLUME -> true;
            // Mounts find out the same about their engine; several engines of a group are several incidents.
            case METADATA -> standing.scope.kind() == ScopeKind.MOUNT;
            case SAFETY, WATCHING -> false;
        };
    }

    private static long firstOnset(Standing standing) {
        return standing.finding.onsets().isEmpty()
                ? Long.MAX_VALUE
                : standing.finding.onsets().get(0).toMillis();
    }

    private static Standing withOthers(Standing face, int others) {
        Finding f = face.finding;
        Text detail = f.detail()
                .plus(
                        face.scope.kind() == ScopeKind.HOST
                                ? Text.format("The same on %1$d more hosts of this job.", "该任务另有 %1$d 台主机同样如此。", others)
                                : Text.format(
                                        "The same on %1$d more mounts of this job.", "该任务另有 %1$d 个挂载点同样如此。", others));
        return new Standing(
                face.family,
                face.rule,
                face.scope,
                new Finding(
                        f.severity(),
                        f.confidence(),
                        f.whyNotSurer(),
                        f.summary(),
                        detail,
                        f.onsets(),
                        f.repetition(),
                        f.lanes(),
                        f.ruledOut(),
                        f.unknown(),
                        f.subCauses(),
                        f.remedies(),
                        f.losses(),
                        f.checks()));
    }

    /** Settings of a Redis that are unsafe are no reason for idle accelerators; a mount that hangs or loses data is. */
    private static boolean blamesStorage(Standing standing) {
        boolean likely = standing.finding.confidence().compareTo(Confidence.LIKELY) >= 0;
        boolean mountAtRisk = standing.family == Family.SAFETY
                && standing.scope.kind() == ScopeKind.MOUNT
                && standing.finding.severity().atLeast(Severity.S2);
        return likely && (standing.family == Family.STORAGE || mountAtRisk);
    }

    private static boolean withdrawn(Standing standing, List<Standing> all) {
        if (standing.family == Family.TRAINING) {
            return all.stream().anyMatch(other -> sameGroup(other.scope, standing) && blamesStorage(other));
        }
        // Misses and slow hits at once: the writeback collision evicts what is then missed.
        if (standing.rule.equals(MISSES)) {
            return all.stream()
                    .anyMatch(other -> other.rule.equals("writeback-read-collision")
                            && other.scope.equals(standing.scope)
                            && other.finding.confidence().compareTo(standing.finding.confidence()) >= 0);
        }
        return false;
    }
}
