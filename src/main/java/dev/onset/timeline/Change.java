package dev.onset.timeline;

/**
 * A stretch in which a series left its baseline.
 *
 * @param series which series
 * @param start index of the first bad step
 * @param end index after the last bad step; the window's size while it goes on
 * @param over whether it ended inside the window
 * @param base median of the baseline
 * @param deviation scaled median absolute deviation of the baseline
 * @param extreme the largest value of a rise, the smallest of a fall
 * @param baseline how many steps the baseline stands on
 * @param fromMillis the last good sample, epoch milliseconds
 * @param toMillis the first bad sample
 */
public record Change(
        Series series,
        int start,
        int end,
        boolean over,
        double base,
        double deviation,
        double extreme,
        int baseline,
        long fromMillis,
        long toMillis) {
    /** How many steps it lasts so far. */
    public int steps() {
        return end - start;
    }

    public boolean goingOn() {
        return !over;
    }
}
