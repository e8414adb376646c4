package dev.onset.diagnoses;

import dev.onset.rules.Confidence;
import dev.onset.rules.Finding;
import dev.onset.rules.Judgement;
import dev.onset.rules.RuleCard.Family;
import dev.onset.rules.Verdict;
import dev.onset.signals.Scope;
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
        merged.removeIf(standing -> withdrawn(standing, merged));
        return merged;
    }

    /** The same cause on several mounts of a job is one incident. */
    private static List<Standing> onePerCause(List<Standing> found, Map<String, Set<Scope>> open) {
        Map<String, List<Standing>> causes = new LinkedHashMap<>();
        for (Standing standing : found) {
            String key = standing.family == Family.STORAGE || standing.family == Family.TRAINING
                    ? standing.rule + "/" + standing.scope.group()
                    : standing.rule + "/" + standing.scope;
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

    private static long firstOnset(Standing standing) {
        return standing.finding.onsets().isEmpty()
                ? Long.MAX_VALUE
                : standing.finding.onsets().get(0).toMillis();
    }

    private static Standing withOthers(Standing face, int others) {
        Finding f = face.finding;
        Text detail = f.detail()
                .plus(Text.format("The same on %1$d more mounts of this job.", "该任务另有 %1$d 个挂载点同样如此。", others));
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

    private static boolean withdrawn(Standing standing, List<Standing> all) {
        if (standing.family == Family.TRAINING) {
            return all.stream()
                    .anyMatch(other -> other.family == Family.STORAGE
                            && other.scope.group().equals(standing.scope.group())
                            && other.finding.confidence().compareTo(Confidence.LIKELY) >= 0);
        }
        // Misses and slow hits at once: the writeback collision evicts what is then missed.
        if (standing.rule.equals("cache-miss-before-utilisation-drop")) {
            return all.stream()
                    .anyMatch(other -> other.rule.equals("writeback-read-collision")
                            && other.scope.equals(standing.scope)
                            && other.finding.confidence().compareTo(standing.finding.confidence()) >= 0);
        }
        return false;
    }
}
