package dev.onset.outlets.api;

import dev.onset.signals.Scope;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Text;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How the watching itself goes, in a size that does not grow with what is watched: every open page asks for it after
 * each step. Times are epoch milliseconds.
 *
 * @param nowMillis the service's clock, so that the page need not trust its own
 * @param sinceMillis when the watching began
 * @param lastStepMillis end of the latest judged step; 0 before the first
 * @param stepMillis length of a step
 * @param live whether real targets are watched
 * @param recording name of the recording that is shown, or null
 * @param counts how many things are seen
 * @param rules how many rules are judged
 * @param cannotJudge rules that miss their inputs somewhere; what misses the same is one entry
 * @param targetCounts how the targets do
 * @param targets the first {@link #MOST_TARGETS} targets, those that need attention before the others
 * @param dataQuality what is wrong with the data as a whole
 * @param undelivered messages that wait in the outbox
 * @param storeTrouble why nothing can be written just now; null when all is well
 * @param scopes the first {@link #MOST_SCOPES} of each kind of thing that has a timeline
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
        TargetCounts targetCounts,
        List<TargetState> targets,
        List<Text> dataQuality,
        int undelivered,
        @Nullable Text storeTrouble,
        List<Scope> scopes) {
    public static final int MOST_TARGETS = 20;
    public static final int MOST_SCOPES = 20;

    public Status {
        cannotJudge = List.copyOf(cannotJudge);
        targets = List.copyOf(targets);
        dataQuality = List.copyOf(dataQuality);
        scopes = List.copyOf(scopes);
    }

    /** How many things are seen. */
    public record Counts(int volumes, int mounts, int hosts, int redis, int accelerators) {}

    /**
     * How many targets there are.
     *
     * @param all every one
     * @param up those that answered the latest question
     * @param notAsked those that were not asked yet; neither up nor down
     * @param faulty those whose answer could not be used in full
     */
    public record TargetCounts(int all, int up, int notAsked, int faulty) {}

    /**
     * A rule that cannot judge something, and why.
     *
     * @param scope one that it cannot judge
     * @param scopes how many it cannot judge for this reason
     */
    public record CannotJudge(String rule, Scope scope, List<Text> reasons, int scopes) {
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
     * @param asking what the asking costs, worked out for the few that are shown
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
            Supplier<Asking> asking) {
        /** The order in which all targets are listed. */
        public static final Comparator<TargetState> BY_NAME = Comparator.comparing(TargetState::group, Natural.ORDER)
                .thenComparing(TargetState::kind)
                .thenComparing(TargetState::address, Natural.ORDER);

        public TargetState {
            faults = List.copyOf(faults);
            notes = List.copyOf(notes);
        }

        /** 0 for those to look at first: silent, then not asked yet, then faulty, then those where something is lost. */
        public int rank() {
            if (!up) {
                return sinceMillis > 0 ? 0 : 1;
            }
            return !faults.isEmpty() ? 2 : !notes.isEmpty() ? 3 : 4;
        }
    }

    /**
     * What asking a target costs.
     *
     * @param skewP99Millis how far its requests start from the group's instant; NaN when unknown
     * @param millisPerScrape what a request takes, median; NaN when unknown
     * @param bytesPerScrape size of an answer, median; NaN when unknown
     */
    public record Asking(double skewP99Millis, double millisPerScrape, double bytesPerScrape) {
        public static final Asking UNKNOWN = new Asking(Double.NaN, Double.NaN, Double.NaN);
    }
}
