package dev.onset.diagnoses;

import dev.onset.signals.Text;

/**
 * One thing that happened to an incident.
 *
 * @param atMillis epoch milliseconds
 * @param what opened, severity raised, acknowledged by…, resolved
 */
public record TrailEntry(long atMillis, Text what) {}
