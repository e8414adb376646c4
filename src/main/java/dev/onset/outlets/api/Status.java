package dev.onset.outlets.api;

import dev.onset.signals.Scope;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the watching itself goes. Times are epoch milliseconds.
 *
 * @param nowMillis the service's clock, so that the page need not trust its own
 * @param sinceMillis when the watching began
 * @param lastStepMillis end of the latest judged step; 0 before the first
 * @param stepMillis length of a step
 * @param live whether real targets are watched
 * @param recording name of the recording that is shown, or null
 * @param counts how many things are seen
 * @param rules how many rules are judged
 * @param cannotJudge rules that miss their inputs somewhere
 * @param targets every target with its state
 * @param dataQuality what is wrong with the data as a whole
 * @param undelivered messages that wait in the outbox
 * @param storeTrouble why nothing can be written just now; null when all is well
 * @param scopes everything that has a timeline
 */
public record Status(
        long nowMillis,
        long sinceMillis,
        long lastStepMillis,
        long stepMillis,
        boolean live,
        @Nullable String recording,
        Counts counts,
        int rules,
        List<CannotJudge> cannotJudge,
        List<TargetState> targets,
        List<Text> dataQuality,
        int undelivered,
        @Nullable Text storeTrouble,
        List<Scope> scopes) {
    public Status {
        cannotJudge = List.copyOf(cannotJudge);
        targets = List.copyOf(targets);
        dataQuality = List.copyOf(dataQuality);
        scopes = List.copyOf(scopes);
    }

    /** How many things are seen. */
    public record Counts(int volumes, int mounts, int hosts, int redis, int accelerators) {}

    /** A rule that cannot judge a scope, and why. */
    public record CannotJudge(String rule, Scope scope, List<Text> reasons) {
        public CannotJudge {
            reasons = List.copyOf(reasons);
        }
    }

    /**
     * One target.
     *
     * @param host the machine, when known
     * @param up whether the latest request was answered
     * @param sinceMillis when it went up or down; 0 when it was not asked yet
     * @param error why there is no answer; null while it is up
     * @param faults lines of the latest answer that could not be used
     * @param notes what is lost here: refused commands, a latency monitor that is off
     * @param skewP99Millis how far its requests start from the group's instant; NaN when unknown
     * @param millisPerScrape what a request takes, median; NaN when unknown
     * @param bytesPerScrape size of an answer, median; NaN when unknown
     */
    public record TargetState(
            SourceKind kind,
            String address,
            @Nullable String host,
            String group,
            boolean up,
            long sinceMillis,
            @Nullable Text error,
            List<Text> faults,
            List<Text> notes,
            double skewP99Millis,
            double millisPerScrape,
            double bytesPerScrape) {
        public TargetState {
            faults = List.copyOf(faults);
            notes = List.copyOf(notes);
        }
    }
}
