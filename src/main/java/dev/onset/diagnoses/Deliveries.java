package dev.onset.diagnoses;

import dev.onset.signals.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of the messages, for people to see. */
public interface Deliveries {
    /** One line a receiver, by name; only receivers that ever had a message. */
    List<Tally> tallies();

    /** How many messages wait, of all receivers. */
    long pending();

    /** The messages about one diagnosis, oldest first. */
    List<Entry> of(String diagnosis);

    /** Where a message is. */
    enum State {
        PENDING,
        DELIVERED,
        REFUSED
    }

    /**
     * A receiver's messages of the last thirty days.
     *
     * @param lastError what went wrong last, also when the message arrived in the end; null when nothing did
     * @param lastErrorMillis when that was
     * @param lastDeliveredMillis when something arrived last
     */
    record Tally(
            String receiver,
            long pending,
            long delivered,
            long refused,
            @Nullable Text lastError,
            @Nullable Long lastErrorMillis,
            @Nullable Long lastDeliveredMillis) {
        public Tally failed(Entry latest) {
            return new Tally(
                    receiver, pending, delivered, refused, latest.reason(), latest.atMillis(), lastDeliveredMillis);
        }
    }

    /**
     * One message.
     *
     * @param reason why it failed or is late, or what to know although it arrived; empty for nothing
     * @param atMillis when it was queued, or last attempted
     */
    record Entry(String receiver, DiagnosisChange.Kind kind, State state, int attempts, Text reason, long atMillis) {}
}
