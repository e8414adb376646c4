package dev.onset.diagnoses;

import dev.onset.rules.Severity;

/**
 * A receiver for which messages are queued.
 *
 * @param name as configured
 * @param minimum nothing below this severity is queued for it
 */
public record Subscriber(String name, Severity minimum) {}
