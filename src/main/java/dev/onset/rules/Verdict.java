package dev.onset.rules;

import java.util.List;
import java.util.function.Function;

/** What a rule says about a window. Silence is an answer as well, so each case carries the conditions as they stood. */
public sealed interface Verdict {
    /** Judged, and nothing there. */
    record Quiet(List<Check> checks) implements Verdict {
        public Quiet {
            checks = List.copyOf(checks);
        }
    }

    /** Something is there. */
    record Found(Finding finding) implements Verdict {}

    /** Cannot judge: inputs are missing. */
    record Unsure(List<Reason> missing) implements Verdict {
        public Unsure {
            missing = List.copyOf(missing);
        }
    }

    /** One function per case, checked by the compiler. */
    default <T> T fold(Function<Quiet, T> quiet, Function<Found, T> found, Function<Unsure, T> unsure) {
        if (this instanceof Quiet q) {
            return quiet.apply(q);
        }
        return this instanceof Found f ? found.apply(f) : unsure.apply((Unsure) this);
    }
}
