package dev.onset.signals;

/**
 * Something that happened inside a step and carries its own time: a PING, a Redis latency event, a slow command.
 *
 * @param scope the Redis it happened on
 * @param kind what sort
 * @param name the event or command: {@code expire-cycle}, {@code KEYS session:*}; empty for pings
 * @param atMillis epoch milliseconds on our clock: Redis' own second, corrected by the measured clock difference
 * @param precisionMillis how far the true time may be off to either side
 * @param seconds how long it took; NaN for a ping without answer
 * @param id makes it unique for its kind, so that it is placed once however often it is reported
 */
public record Moment(
        Scope scope, Kind kind, String name, long atMillis, long precisionMillis, double seconds, String id) {
    /** The sorts of moments. */
    public enum Kind {
        PING,
        LATENCY_EVENT,
        SLOW_COMMAND
    }
}
