package dev.onset.sources.redis;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.exceptions.JedisDataException;

/** Which commands this Redis refuses to us: asked once, then not again before a new connection or an hour later. */
final class Refusals {
    private static final long FORGET_MILLIS = Duration.ofHours(1).toMillis();
    /** Errors that pass by themselves. */
    private static final List<String> PASSING =
            List.of("LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "NOAUTH", "OOM");

    private final Clock clock;
    private final Map<String, Long> since = new ConcurrentHashMap<>();

    Refusals(Clock clock) {
        this.clock = clock;
    }

    boolean allows(String command) {
        Long refused = since.get(command);
        if (refused == null) {
            return true;
        }
        if (clock.millis() - refused >= FORGET_MILLIS) {
            since.remove(command);
            return true;
        }
        return false;
    }

    /** Remembers an error reply unless it says that trying again helps. */
    void note(String command, JedisDataException error) {
        String message = String.valueOf(error.getMessage()).toUpperCase(Locale.ROOT);
        if (PASSING.stream().noneMatch(message::startsWith)) {
            since.put(command, clock.millis());
        }
    }

    void forget() {
        since.clear();
    }

    Collection<String> all() {
        return since.keySet().stream().sorted().toList();
    }
}
