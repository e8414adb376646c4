package dev.onset.timeline;

import java.time.Duration;

/**
 * The grid of steps: boundaries at multiples of the step since the epoch.
 *
 * @param stepMillis 5,000 to 60,000
 */
public record TimeAxis(long stepMillis) {
    /** The step in which rules state their numbers of steps. */
    private static final long RULE_STEP_MILLIS = 15_000;

    public TimeAxis {
        if (stepMillis < 5_000 || stepMillis > 60_000) {
            throw new IllegalArgumentException("step " + stepMillis + " ms: allowed are 5s to 60s");
        }
    }

    public static TimeAxis of(Duration step) {
        return new TimeAxis(step.toMillis());
    }

    /** The step that an instant belongs to. */
    public long step(long atMillis) {
        return Math.floorDiv(atMillis, stepMillis);
    }

    public long startMillis(long step) {
        return step * stepMillis;
    }

    /** How many steps of this axis last as long as {@code ruleSteps} steps of 15 s; at least one. */
    public int steps(int ruleSteps) {
        return (int) Math.max(1, (ruleSteps * RULE_STEP_MILLIS + stepMillis - 1) / stepMillis);
    }

    /** How long {@code ruleSteps} steps of 15 s last. */
    public long millis(int ruleSteps) {
        return ruleSteps * RULE_STEP_MILLIS;
    }
}
