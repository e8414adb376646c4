package dev.onset.outlets.metrics;

import dev.onset.signals.Scope;
import dev.onset.signals.Signal;

/**
 * A signal's value in the last closed step.
 *
 * @param part the device or accelerator inside the scope; empty where there is only one
 * @param value in the signal's unit; NaN where there is a gap
 */
public record Value(Scope scope, Signal signal, String part, double value) {}
