package dev.onset.diagnoses;

import dev.onset.signals.Text;
import java.util.Optional;
import java.util.Set;

/**
 * Messages that wait to be sent, queued in the same transaction as the diagnosis they speak of. Every method throws
 * {@link Diagnoses.StoreUnavailable} when nothing could be written.
 */
public interface Outbox {
    /**
     * Takes the next message of a receiver that is due, for one attempt. Messages about the same diagnosis keep their
     * order; among the others the one with the fewest attempts comes first, so that one that always fails does not
     * hold the rest back.
     *
     * @param untilMillis nobody else gets it before this time; restarting ends all claims
     */
    Optional<Queued> claim(String receiver, long nowMillis, long untilMillis);

    /**
     * Will not be sent again.
     *
     * @param note what a person should know although it arrived; empty for nothing
     */
    void delivered(Queued message, long nowMillis, Text note);

    /** Will not be sent again, because it never can be. */
    void refused(Queued message, long nowMillis, Text reason);

    void again(Queued message, long nowMillis, long dueMillis, Text reason);

    /** Refuses what still waits for receivers that are no longer configured, and forgets what was done long ago. */
    void tidy(Set<String> configured, long nowMillis);

    /**
     * A message taken for one attempt.
     *
     * @param row its place in the outbox
     * @param receiver the name of the receiver
     * @param change what to tell; the diagnosis as it was then, without its evidence
     * @param queuedMillis when it was queued
     * @param attempts this one included
     * @param lastReason why the previous attempt failed, in English; empty at the first
     * @param repeats how many attempts in a row failed for that reason
     */
    record Queued(
            long row,
            String receiver,
            DiagnosisChange change,
            long queuedMillis,
            int attempts,
            String lastReason,
            int repeats) {}
}
