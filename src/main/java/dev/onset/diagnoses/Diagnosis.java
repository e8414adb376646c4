package dev.onset.diagnoses;

import dev.onset.rules.Finding;
import dev.onset.signals.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An incident with its argument.
 *
 * @param id unique, short, fit for a URL
 * @param rule id of the rule in the catalogue
 * @param scope what it is about
 * @param state where in its life it is
 * @param firstSeenMillis start of the condition, epoch milliseconds
 * @param openedMillis when it opened; 0 while pending
 * @param lastSeenMillis end of the last step in which the condition held
 * @param resolvedMillis when it was resolved, or null
 * @param finding the strongest argument so far
 * @param cost lost accelerator time
 * @param evidence the series behind it
 * @param recording where it comes from a recording: its name; null when live
 * @param trail what happened to it, oldest first
 */
public record Diagnosis(
        String id,
        String rule,
        Scope scope,
        State state,
        long firstSeenMillis,
        long openedMillis,
        long lastSeenMillis,
        @Nullable Long resolvedMillis,
        Finding finding,
        Cost cost,
        Evidence evidence,
        @Nullable String recording,
        List<TrailEntry> trail) {
    public Diagnosis {
        trail = List.copyOf(trail);
    }
}
