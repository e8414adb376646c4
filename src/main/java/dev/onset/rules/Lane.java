package dev.onset.rules;

import dev.onset.signals.Scope;
import dev.onset.signals.Signal;

/**
 * A series that belongs to the evidence.
 *
 * @param scope what it is about
 * @param signal which one
 * @param part device or accelerator; empty where there is only one
 * @param before median of the baseline; NaN where there was none
 * @param during the value that counts while it lasted: peak for a rise, trough for a fall
 * @param after the latest value
 */
public record Lane(Scope scope, Signal signal, String part, double before, double during, double after) {}
