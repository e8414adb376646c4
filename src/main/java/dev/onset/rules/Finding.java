package dev.onset.rules;

import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a rule found: an argument that a sceptic can check.
 *
 * @param severity how much it matters
 * @param confidence how sure it is
 * @param whyNotSurer one sentence; empty when confirmed
 * @param summary the finding in one sentence with numbers and times
 * @param detail the second sentence: repetition, lead
 * @param onsets in time order
 * @param repetition null for findings that claim no cause
 * @param lanes what to plot, at most seven, the deciding ones first
 * @param ruledOut look-alikes, each with the number that rules it out
 * @param unknown what could not be checked, each with what would make it checkable
 * @param subCauses ids of rules that refine the cause
 * @param remedies cheapest first, warnings last
 * @param losses stretches of lost utilisation; empty where none is claimed
 * @param checks the rule's conditions as they stood
 */
public record Finding(
        Severity severity,
        Confidence confidence,
        Text whyNotSurer,
        Text summary,
        Text detail,
        List<Onset> onsets,
        @Nullable Repetition repetition,
        List<Lane> lanes,
        List<Reason> ruledOut,
        List<Reason> unknown,
        List<String> subCauses,
        List<Remedy> remedies,
        List<Loss> losses,
        List<Check> checks) {
    public Finding {
        onsets = List.copyOf(onsets);
        lanes = List.copyOf(lanes);
        ruledOut = List.copyOf(ruledOut);
        unknown = List.copyOf(unknown);
        subCauses = List.copyOf(subCauses);
        remedies = List.copyOf(remedies);
        losses = List.copyOf(losses);
        checks = List.copyOf(checks);
    }

    /** What is so, rather than what moved: no cause is claimed, and no loss. */
    static Finding state(
            Severity severity,
            Doubt doubt,
            Text summary,
            List<Lane> lanes,
            List<Reason> ruledOut,
            List<Reason> unknown,
            List<Remedy> remedies,
            Checks checks) {
        Text none = Text.same("");
        return new Finding(
                severity,
                doubt.confidence(),
                doubt.why(),
                summary,
                none,
                List.of(),
                null,
                lanes,
                ruledOut,
                unknown,
                List.of(),
                remedies,
                List.of(),
                checks.all());
    }

    /** The same argument about an incident that began earlier. */
    public Finding withOnsets(List<Onset> earlier) {
        return new Finding(
                severity,
                confidence,
                whyNotSurer,
                summary,
                detail,
                earlier,
                repetition,
                lanes,
                ruledOut,
                unknown,
                subCauses,
                remedies,
                losses,
                checks);
    }

    /** The same argument with another rule's finding inside it. */
    public Finding withSubCause(String rule) {
        if (subCauses.contains(rule)) {
            return this;
        }
        List<String> more = new ArrayList<>(subCauses);
        more.add(rule);
        return new Finding(
                severity,
                confidence,
                whyNotSurer,
                summary,
                detail,
                onsets,
                repetition,
                lanes,
                ruledOut,
                unknown,
                more,
                remedies,
                losses,
                checks);
    }
}
