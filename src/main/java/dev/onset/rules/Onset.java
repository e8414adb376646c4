package dev.onset.rules;

import dev.onset.signals.Scope;
import dev.onset.signals.Signal;

/**
 * When a signal left its healthy range: somewhere between its last good and its first bad sample.
 *
 * @param scope what the signal is about
 * @param signal which one
 * @param part device or accelerator; empty where there is only one
 * @param fromMillis epoch milliseconds of the last good sample
 * @param toMillis epoch milliseconds of the first bad sample
 */
public record Onset(Scope scope, Signal signal, String part, long fromMillis, long toMillis) {
    public Onset {
        if (toMillis < fromMillis) {
            throw new IllegalArgumentException("an onset ends before it begins: " + fromMillis + " to " + toMillis);
        }
    }

    /** "Before" is claimed only where the two intervals do not overlap; a shared end point is no overlap. */
    public Order order(Onset other) {
        if (toMillis <= other.fromMillis) {
            return Order.BEFORE;
        }
        return other.toMillis <= fromMillis ? Order.AFTER : Order.TOGETHER;
    }
}
