package dev.onset.outlets.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.onset.rules.Check;
import dev.onset.rules.Judgement;
import dev.onset.rules.Reason;
import dev.onset.rules.Verdict;
import java.util.List;
import java.util.Locale;

/**
 * What each rule says about a moment.
 *
 * @param step start of the step that was judged
 * @param rules those nearest to a diagnosis first
 */
record WhyJson(String step, List<RuleAnswer> rules) {
    /**
     * One rule's answer.
     *
     * @param answer found, quiet or unsure
     * @param checks its conditions as they stood; empty when it could not judge
     * @param missing what it would need
     */
    record RuleAnswer(String rule, String title, String answer, List<CheckJson> checks, List<MissingJson> missing) {
        static RuleAnswer of(Judgement judgement, Locale locale) {
            Verdict verdict = judgement.verdict();
            List<Check> checks =
                    verdict.fold(Verdict.Quiet::checks, found -> found.finding().checks(), unsure -> List.of());
            List<Reason> missing = verdict.fold(quiet -> List.of(), found -> List.of(), Verdict.Unsure::missing);
            return new RuleAnswer(
                    judgement.card().id(),
                    judgement.card().title().in(locale),
                    verdict.fold(quiet -> "quiet", found -> "found", unsure -> "unsure"),
                    checks.stream()
                            .map(check -> new CheckJson(
                                    check.condition().in(locale), check.value(), check.bound(), check.met()))
                            .toList(),
                    missing.stream()
                            .map(reason -> new MissingJson(
                                    reason.what().in(locale), reason.why().in(locale)))
                            .toList());
        }

        /** 0 for what was found, the share of conditions that do not hold, 2 for what cannot be judged. */
        @JsonIgnore
        double farAway() {
            if (!answer.equals("quiet")) {
                return answer.equals("found") ? 0 : 2;
            }
            long unmet = checks.stream().filter(check -> !check.met()).count();
            return checks.isEmpty() ? 1 : (double) unmet / checks.size();
        }
    }

    /**
     * A condition as it stood.
     *
     * @param condition what is asked
     * @param value what was measured
     * @param bound what it is compared with
     * @param met whether it holds
     */
    record CheckJson(String condition, String value, String bound, boolean met) {}

    /**
     * Something that a rule would need.
     *
     * @param what is missing
     * @param why it is
     */
    record MissingJson(String what, String why) {}
}
