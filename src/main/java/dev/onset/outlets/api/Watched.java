package dev.onset.outlets.api;

import dev.onset.diagnoses.Evidence;
import dev.onset.rules.Judgement;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What the page and the API ask of the running service. Implementations are safe for use by several threads. */
public interface Watched {
    /** The order in which everything that has a timeline is listed. */
    Comparator<Scope> BY_NAME = Comparator.comparing(Scope::group, Natural.ORDER)
            .thenComparing(Scope::kind)
            .thenComparing(Scope::id, Natural.ORDER);

    /** How the watching itself goes, as of the latest step. */
    Status status();

    /** Every target as of the latest step, {@link Status.TargetState#BY_NAME}. */
    List<Status.TargetState> targets();

    /** Everything that had a timeline at the latest step, {@link #BY_NAME}. */
    List<Scope> scopes();

    /**
     * What each rule of a scope says about one moment: also why it says nothing.
     *
     * @param atMillis any time in the step that is judged, epoch milliseconds; later than the last step means that one
     * @return empty when there is no such scope, or the moment is not kept any more
     */
    Optional<Why> why(Scope scope, long atMillis);

    /**
     * Rules about a moment.
     *
     * @param stepMillis start of the step that was judged, epoch milliseconds
     * @param judgements one for each rule of the scope's kind
     */
    record Why(long stepMillis, List<Judgement> judgements) {
        public Why {
            judgements = List.copyOf(judgements);
        }
    }

    /**
     * The aligned series of one scope.
     *
     * @param signals what to return, also of what the scope is connected to; all signals of the scope when empty
     * @param fromMillis start of the window, epoch milliseconds
     * @param toMillis end of the window, at most a day later
     * @return empty when there is no such scope; series that do not exist are left out
     */
    Optional<Evidence> timeline(Scope scope, List<Signal> signals, long fromMillis, long toMillis);
}
