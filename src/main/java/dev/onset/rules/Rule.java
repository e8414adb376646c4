package dev.onset.rules;

import dev.onset.signals.Bound;
import dev.onset.timeline.Window;
import java.util.List;

/**
 * One way in which training gets slow or data gets unsafe. Same window, same verdict: a rule has no clock, no memory and
 * no I/O. A rule that misses data answers {@link Verdict.Unsure}, never {@link Verdict.Quiet}.
 */
public interface Rule {
    RuleCard card();

    /** Every number that it compares with and that a deployment may set otherwise. */
    default List<Bound> bounds() {
        return List.of();
    }

    /** Asked only about windows in which every signal that the card needs has a number of late. */
    Verdict judge(Window window);
}
