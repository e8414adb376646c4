package dev.onset.sources.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What JuiceFS keeps about itself in its metadata Redis: the volume and the clients that are mounted now.
 *
 * @param volume its name; empty when it could not be read
 * @param storage kind of object store
 * @param clients alive by their own heartbeat
 * @param note why something could not be read; empty when all was
 */
public record Metadata(String volume, String storage, List<DiscoveredClient> clients, String note) {
    /** Above it the list is left alone: reading it would hold up the server that we want to help. */
    private static final long CLIENT_LIMIT = 20_000;

    private static final int TEXT_LIMIT = 256;
    private static final JsonMapper JSON = new JsonMapper();

    public Metadata {
        clients = List.copyOf(clients);
    }

    static Metadata unknown(String note) {
        return new Metadata("", "", List.of(), note);
    }

    /** Reads both on a connection of its own, in at most the limit; tells in the note what failed. */
    public static Metadata read(
            String group, RedisSettings settings, Duration limit, Clock clock, ScheduledExecutorService watchdog) {
        Line.Plug plug = new Line.Plug();
        ScheduledFuture<?> cut = watchdog.schedule(plug::pull, limit.toMillis(), TimeUnit.MILLISECONDS);
        String database = settings.address() + ", database " + settings.database();
        try {
            Line line = Line.open(settings, settings.database(), (int) limit.toMillis(), plug);
            return read(line, group, settings.address(), database, clock);
        } catch (JedisDataException e) {
            return unknown(database + ": not readable with these rights: " + Line.words(settings, e.getMessage()));
        } catch (IOException | RuntimeException e) {
            return unknown(database + ": "
                    + (plug.pulled() ? "no complete answer in time" : Line.words(settings, e.getMessage())));
        } finally {
            cut.cancel(false);
            plug.pull();
        }
    }

    private static Metadata read(Line line, String group, String redis, String database, Clock clock) {
        JsonNode format = json(ask(line, Command.GET, "setting"));
        if (format == null) {
            return unknown(database + ": holds no JuiceFS volume");
        }
        // The format also holds the keys of the object store; only these two are taken out of it.
        String volume = text(format, "Name");
        String storage = text(format, "Storage");
        long count = number(ask(line, Command.HLEN, "sessionInfos"));
        if (Math.max(count, number(ask(line, Command.ZCARD, "allSessions"))) > CLIENT_LIMIT) {
            return new Metadata(
                    volume, storage, List.of(), database + ": " + count + " clients are too many to list at once");
        }
        Map<String, Double> expiry = expiry(ask(line, Command.ZRANGE, "allSessions", "0", "-1", "WITHSCORES"));
        double now = clock.millis() / 1000.0;
        List<DiscoveredClient> clients = new ArrayList<>();
        if (ask(line, Command.HGETALL, "sessionInfos") instanceof List<?> fields) {
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                boolean alive = expiry.getOrDefault(string(fields.get(i)), 0.0) > now;
                JsonNode session = alive ? json(fields.get(i + 1)) : null;
                if (session != null) {
                    clients.add(client(group, redis, volume, storage, session));
                }
            }
        }
        return new Metadata(volume, storage, clients, "");
    }

    private static DiscoveredClient client(
            String group, String redis, String volume, String storage, JsonNode session) {
        List<String> addresses = StreamSupport.stream(session.path("IPAddrs").spliterator(), false)
                .limit(16)
                .map(address -> clipped(address.asString("")))
                .toList();
        return new DiscoveredClient(
                group,
                redis,
                volume,
                storage,
                text(session, "HostName"),
                addresses,
                text(session, "MountPoint"),
                text(session, "Version"),
                session.path("ProcessID").asLong(0),
                text(session, "MountTime"));
    }

    private static @Nullable Object ask(Line line, Command command, String... arguments) {
        line.sendCommand(command, arguments);
        return line.getOne();
    }

    /** Members and scores: alternating in RESP2, pairs in RESP3. */
    private static Map<String, Double> expiry(@Nullable Object reply) {
        List<Object> flat = new ArrayList<>();
        if (reply instanceof List<?> list) {
            list.forEach(each -> {
                if (each instanceof List<?> pair) {
                    flat.addAll(pair);
                } else {
                    flat.add(each);
                }
            });
        }
        Map<String, Double> expiry = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            try {
                expiry.put(string(flat.get(i)), Double.valueOf(string(flat.get(i + 1))));
            } catch (NumberFormatException e) {
                // A score that is none: that client counts as gone.
            }
        }
        return expiry;
    }

    private static @Nullable JsonNode json(@Nullable Object reply) {
        if (!(reply instanceof byte[] bytes)) {
            return null;
        }
        try {
            JsonNode node = JSON.readTree(bytes);
            return node.isObject() ? node : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    private static String text(JsonNode object, String field) {
        return clipped(object.path(field).asString(""));
    }

    private static String clipped(String text) {
        return text.length() <= TEXT_LIMIT ? text : text.substring(0, TEXT_LIMIT);
    }

    private static long number(@Nullable Object reply) {
        return reply instanceof Long number ? number : 0;
    }

    private static String string(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(value);
    }
}
