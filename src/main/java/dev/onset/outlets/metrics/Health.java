package dev.onset.outlets.metrics;

import java.util.Map;

/**
 * How the service itself is, after a tick.
 *
 * @param targetsUp targets that answered
 * @param targetsDown targets that did not
 * @param outboxPending messages that wait
 * @param storeWritable whether the latest tick could be stored
 * @param answers how many judgements were {@code quiet}, {@code found}, {@code unsure}
 */
public record Health(
        int targetsUp, int targetsDown, int outboxPending, boolean storeWritable, Map<String, Integer> answers) {
    static final Health UNKNOWN = new Health(0, 0, 0, true, Map.of());

    public Health {
        answers = Map.copyOf(answers);
    }
}
