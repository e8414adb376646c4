package dev.onset.rules;

/**
 * Steps in which accelerators stood idle because of the finding.
 *
 * @param fromMillis start of the first step, epoch milliseconds
 * @param toMillis end of the last step
 * @param healthy utilisation that was normal before, 0 to 1
 * @param spread scaled median absolute deviation of the healthy utilisation
 */
public record Loss(long fromMillis, long toMillis, double healthy, double spread) {}
