package dev.onset.rules;

import dev.onset.timeline.Window;

/**
 * One way in which training gets slow or data gets unsafe. Same window, same verdict: a rule has no clock, no memory and
 * no I/O. A rule that misses data answers {@link Verdict.Unsure}, never {@link Verdict.Quiet}.
 */
public interface Rule {
    RuleCard card();

    Verdict judge(Window window);
}
