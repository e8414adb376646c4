package dev.onset.signals;

/**
 * A line or field of an answer that could not be used, while the rest was.
 *
 * @param line 1-based line in the answer; 0 when it concerns the whole answer
 * @param reason one sentence naming the label, key or value
 */
public record Fault(int line, Text reason) {}
