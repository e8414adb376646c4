package dev.onset.sources;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import org.jspecify.annotations.Nullable;

/**
 * One answer of one source as it came, unread: what is scraped live, written to a recording and read back from it.
 *
 * @param target who was asked
 * @param kind what was asked for
 * @param atMillis epoch milliseconds at which it was asked
 * @param tookSeconds until the whole answer was in
 * @param body the bytes of the answer; null when there is none
 * @param missing why there is no body; null when there is one
 * @param detail what went wrong, in words that name host and port but never a secret; empty when nothing did
 */
public record Answer(
        Target target,
        Kind kind,
        long atMillis,
        double tookSeconds,
        byte @Nullable [] body,
        @Nullable Gap missing,
        String detail) {

    /** What was asked for; the lower-case name is the {@code kind} of a recording line. */
    public enum Kind {
        /** Exposition text of an exporter. */
        METRICS,
        /** The text of Redis INFO. */
        INFO,
        /** JSON {@code {"latest": [[event, unix s, last ms, max ms]…], "history": {event: [[unix s, ms]…]}}}. */
        LATENCY,
        /** JSON array of {@code [id, unix s, microseconds, [arguments…], client address, client name]}. */
        SLOWLOG,
        /** JSON object of CONFIG names and values. */
        CONFIG,
        /** JSON array of round-trip times in microseconds, null for a ping without answer. */
        PING,
        /** JSON {@code .config} of a mount, without its secrets. */
        MOUNT_CONFIG;

        /** Whether the target counts as down when this is missing. */
        public boolean decidesUp() {
            return this == METRICS || this == INFO;
        }
    }

    public static Answer of(Target target, Kind kind, long atMillis, double tookSeconds, byte[] body) {
        return new Answer(target, kind, atMillis, tookSeconds, body, null, "");
    }

    public static Answer missing(
            Target target, Kind kind, long atMillis, double tookSeconds, Gap reason, String detail) {
        return new Answer(target, kind, atMillis, tookSeconds, null, reason, detail);
    }
}
