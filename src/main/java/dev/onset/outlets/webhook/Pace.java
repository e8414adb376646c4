package dev.onset.outlets.webhook;

import java.time.Duration;

/**
 * A token bucket.
 *
 * @param burst how many messages may leave at once after a quiet time
 * @param each how long one message takes to earn back
 */
public record Pace(int burst, Duration each) {}
