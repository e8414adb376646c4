package dev.onset.sources;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One answer of one source as it came, unread: what is scraped live, written to a recording and read back from it.
 *
 * @param target who was asked
 * @param kind what was asked for
 * @param atMillis epoch milliseconds at which it was asked
 * @param tookSeconds until the whole answer was in
 * @param bytes begin with the body; null when there is none. A live exporter's are lent: whoever takes the answer must not
 *     keep them, because they are used for another answer afterwards
 * @param length of the body
 * @param missing why there is no body; null when there is one
 * @param detail what went wrong, in words that name host and port but never a secret; empty when nothing did
 */
public record Answer(
        Target target,
        Kind kind,
        long atMillis,
        double tookSeconds,
        byte @Nullable [] bytes,
        int length,
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
        return of(target, kind, atMillis, tookSeconds, body, body.length);
    }

    public static Answer of(Target target, Kind kind, long atMillis, double tookSeconds, byte[] bytes, int length) {
        return new Answer(target, kind, atMillis, tookSeconds, bytes, length, null, "");
    }

    public static Answer missing(
            Target target, Kind kind, long atMillis, double tookSeconds, Gap reason, String detail) {
        return new Answer(target, kind, atMillis, tookSeconds, null, 0, reason, detail);
    }

    /** The body in an array of its own length, which is a copy unless it is that already; null when there is none. */
    public byte @Nullable [] body() {
        return bytes == null || bytes.length == length ? bytes : Arrays.copyOf(bytes, length);
    }
}
