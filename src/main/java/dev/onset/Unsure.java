package dev.onset;

import dev.onset.outlets.api.Status;
import dev.onset.rules.Judgement;
import dev.onset.rules.Reason;
import dev.onset.rules.RuleCard;
import dev.onset.rules.Verdict;
import dev.onset.signals.Scope;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which rules cannot judge, and why. Thousands of mounts miss the same thing for the same reason: that is one line. Only
 * the lines are kept, so that a step's judgements need not outlive it.
 */
final class Unsure {
    /** Reasons told apart for one rule; what is beyond is one entry. */
    private static final int MOST_REASONS = 4;

    private final Map<String, Map<List<Reason>, Alike>> byRule = new LinkedHashMap<>();
    private final Set<String> judged = new HashSet<>();
    private final Map<String, Integer> answers;

    /** Scopes with the same reason: one of them, and how many. */
    private static final class Alike {
        final Scope first;
        int scopes;

        Alike(Scope first) {
            this.first = first;
        }
    }

    Unsure(List<Judgement> judgements) {
        int found = 0;
        int unsure = 0;
        for (Judgement judgement : judgements) {
            String rule = judgement.card().id();
            judged.add(rule);
            if (judgement.verdict() instanceof Verdict.Unsure cannot) {
                unsure++;
                byRule.computeIfAbsent(rule, id -> new LinkedHashMap<>())
                        .computeIfAbsent(cannot.missing(), reasons -> new Alike(judgement.scope()))
                        .scopes++;
            } else if (judgement.verdict() instanceof Verdict.Found) {
                found++;
            }
        }
        answers = Map.of("quiet", judgements.size() - found - unsure, "found", found, "unsure", unsure);
    }

    /** How many judgements were quiet, found something, or were unsure. */
    Map<String, Integer> answers() {
        return answers;
    }

    /** Most scopes first for each rule; a rule with nothing of its kind to judge says so once. */
    List<Status.CannotJudge> grouped(List<RuleCard> cards) {
        List<Status.CannotJudge> blind = new ArrayList<>();
        byRule.forEach((rule, byReason) -> blind.addAll(most(rule, byReason)));
        for (RuleCard card : cards) {
            if (!judged.contains(card.id())) {
                blind.add(new Status.CannotJudge(
                        card.id(),
                        new Scope(card.scope(), "", "–"),
                        List.of(Text.format(
                                "no %1$s is watched",
                                "没有被监视的 %1$s", card.scope().name().toLowerCase(Locale.ROOT))),
                        1));
            }
        }
        return blind;
    }

    private static List<Status.CannotJudge> most(String rule, Map<List<Reason>, Alike> byReason) {
        List<Status.CannotJudge> all = byReason.entrySet().stream()
                .map(one ->
                        new Status.CannotJudge(rule, one.getValue().first, texts(one.getKey()), one.getValue().scopes))
                .sorted(Comparator.comparingInt(Status.CannotJudge::scopes).reversed())
                .toList();
        if (all.size() <= MOST_REASONS) {
            return all;
        }
        List<Status.CannotJudge> most = new ArrayList<>(all.subList(0, MOST_REASONS - 1));
        List<Status.CannotJudge> rest = all.subList(MOST_REASONS - 1, all.size());
        most.add(new Status.CannotJudge(
                rule,
                rest.get(0).scope(),
                List.of(Text.format("%1$d other reasons", "另有 %1$d 种原因", rest.size())),
                rest.stream().mapToInt(Status.CannotJudge::scopes).sum()));
        return most;
    }

    private static List<Text> texts(List<Reason> reasons) {
        return reasons.stream()
                .map(reason -> new Text(
                        reason.what().en() + ": " + reason.why().en(),
                        reason.what().zh() + "：" + reason.why().zh()))
                .toList();
    }
}
