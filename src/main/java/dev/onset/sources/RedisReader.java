package dev.onset.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Facts;
import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Turns the answers of a Redis into samples, facts and moments on our clock. */
final class RedisReader {
    private static final JsonMapper JSON = JsonMapper.shared();
    /** Redis states latency events and slow commands in whole seconds: the middle is off by half a second at most. */
    private static final long HALF_SECOND = 500;

    private static final int MAX_MOMENTS = 2_000;
    private static final int MAX_FACTS = 300;
    private static final int MAX_VALUE = 200;
    private static final int MAX_COMMANDS = 200;
    /** Pings of a recording without a stated interval follow each other this closely. */
    private static final double PING_PAUSE_MILLIS = 20;

    private static final Map<String, Field> FIELDS = fields();

    private record Field(Signal signal, double scale) {}

    /** Redis' clock minus ours in milliseconds, by address. */
    private final Map<String, Long> clocks = new HashMap<>();

    Scrape read(Answer answer, byte[] body) {
        try {
            return switch (answer.kind()) {
                case INFO -> info(answer, new String(body, UTF_8), body.length);
                case LATENCY -> moments(answer, latency(answer, JSON.readTree(body)));
                case SLOWLOG -> moments(answer, slowlog(answer, JSON.readTree(body)));
                case PING -> moments(answer, pings(answer, JSON.readTree(body)));
                case CONFIG -> config(answer, JSON.readTree(body));
                case METRICS, MOUNT_CONFIG -> throw new IllegalArgumentException("not an answer of a Redis");
            };
        } catch (JacksonException e) {
            return new Scrape.Missed(
                    answer.target(),
                    false,
                    answer.atMillis(),
                    Gap.BAD_ANSWER,
                    Text.format("the answer to %1$s is not JSON", "%1$s 的应答不是 JSON", answer.kind()));
        }
    }

    private Scrape info(Answer answer, String text, int bytes) {
        Scope scope = scope(answer);
        List<Sample> samples = new ArrayList<>();
        Map<String, String> facts = new LinkedHashMap<>();
        double keys = 0;
        double expires = 0;
        boolean keyspace = false;
        int commands = 0;
        for (String line : text.split("\r?\n", 20_000)) {
            int colon = line.indexOf(':');
            if (line.startsWith("# Keyspace")) {
                keyspace = true;
            }
            if (colon <= 0 || line.charAt(0) == '#') {
                continue;
            }
            String name = line.substring(0, colon);
            String value = line.substring(colon + 1).strip();
            Field field = FIELDS.get(name);
            Double number = number(value);
            if (field != null && number != null) {
                samples.add(Sample.of(scope, field.signal, number * field.scale));
            }
            if (name.startsWith("cmdstat_") && commands < MAX_COMMANDS) {
                String command = clip(name.substring("cmdstat_".length()));
                samples.add(new Sample(scope, Signal.COMMAND_SECONDS, command, entry(value, "usec") / 1e6));
                samples.add(new Sample(scope, Signal.COMMAND_CALLS, command, entry(value, "calls")));
                commands++;
            }
            if (name.matches("db\\d{1,5}")) {
                keys += entry(value, "keys");
                expires += entry(value, "expires");
            }
            if (facts.size() < MAX_FACTS && value.length() <= MAX_VALUE && !name.startsWith("cmdstat_")) {
                facts.put(Facts.REDIS_INFO + name, value);
            }
        }
        if (facts.isEmpty()) {
            return new Scrape.Missed(
                    answer.target(),
                    true,
                    answer.atMillis(),
                    Gap.BAD_ANSWER,
                    new Text("INFO has no fields", "INFO 没有任何字段"));
        }
        if (keyspace) {
            samples.add(Sample.of(scope, Signal.KEYS, keys));
            samples.add(Sample.of(scope, Signal.KEYS_WITH_TTL, expires));
        }
        addCpu(scope, facts, samples);
        noteClock(answer, facts, scope, samples);
        String refused = facts.get(Facts.REDIS_INFO + "onset_refused");
        if (refused != null) {
            facts.put(Facts.REFUSED, refused);
        }
        Scope target = Scope.target(answer.target());
        samples.add(Sample.of(target, Signal.SCRAPE_SECONDS, answer.tookSeconds()));
        samples.add(Sample.of(target, Signal.SCRAPE_BYTES, bytes));
        return scraped(answer, true, samples, List.of(), facts);
    }

    /** The main thread's own time where the version states it; the whole process otherwise. */
    private static void addCpu(Scope scope, Map<String, String> facts, List<Sample> samples) {
        Double user = number(facts.get(Facts.REDIS_INFO + "used_cpu_user_main_thread"));
        Double system = number(facts.get(Facts.REDIS_INFO + "used_cpu_sys_main_thread"));
        if (user == null || system == null) {
            user = number(facts.get(Facts.REDIS_INFO + "used_cpu_user"));
            system = number(facts.get(Facts.REDIS_INFO + "used_cpu_sys"));
        }
        if (user != null && system != null) {
            samples.add(Sample.of(scope, Signal.REDIS_CPU, user + system));
        }
    }

    private void noteClock(Answer answer, Map<String, String> facts, Scope scope, List<Sample> samples) {
        Double measured = number(facts.get(Facts.REDIS_INFO + "onset_clock_offset_seconds"));
        if (measured == null) {
            // Recordings and old probes: INFO's own clock, off by half the round trip at most.
            Double micros = number(facts.get(Facts.REDIS_INFO + "server_time_usec"));
            if (micros == null) {
                return;
            }
            measured = micros / 1e6 - answer.atMillis() / 1e3;
        }
        clocks.put(answer.target().address(), Math.round(measured * 1_000));
        samples.add(Sample.of(scope, Signal.REDIS_CLOCK, measured));
    }

    private List<Moment> latency(Answer answer, JsonNode json) {
        List<Moment> moments = new ArrayList<>();
        Map<String, Boolean> known = new HashMap<>();
        for (Map.Entry<String, JsonNode> event : json.path("history").properties()) {
            known.put(event.getKey(), true);
            for (JsonNode point : event.getValue()) {
                addEvent(
                        answer,
                        event.getKey(),
                        point.path(0).asLong(0),
                        point.path(1).asDouble(0),
                        moments);
            }
        }
        for (JsonNode latest : json.path("latest")) {
            String event = latest.path(0).asString("");
            if (!known.containsKey(event)) {
                addEvent(answer, event, latest.path(1).asLong(0), latest.path(2).asDouble(0), moments);
            }
        }
        return moments;
    }

    private void addEvent(Answer answer, String event, long unixSeconds, double millis, List<Moment> moments) {
        if (unixSeconds > 0 && moments.size() < MAX_MOMENTS) {
            moments.add(new Moment(
                    scope(answer),
                    Moment.Kind.LATENCY_EVENT,
                    clip(event),
                    ourTime(answer, unixSeconds),
                    HALF_SECOND,
                    millis / 1e3,
                    event + "@" + unixSeconds));
        }
    }

    private List<Moment> slowlog(Answer answer, JsonNode json) {
        List<Moment> moments = new ArrayList<>();
        for (JsonNode entry : json) {
            if (moments.size() >= MAX_MOMENTS) {
                break;
            }
            JsonNode fields = entry.isObject() ? objectAsEntry(entry) : entry;
            long unixSeconds = fields.path(1).asLong(0);
            StringBuilder command = new StringBuilder();
            JsonNode arguments = fields.path(3);
            if (arguments.isString()) {
                command.append(arguments.asString());
            }
            for (int i = 0; i < Math.min(arguments.size(), 3); i++) {
                command.append(i == 0 ? "" : " ").append(arguments.get(i).asString(""));
            }
            moments.add(new Moment(
                    scope(answer),
                    Moment.Kind.SLOW_COMMAND,
                    clip(command.toString()) + client(fields),
                    ourTime(answer, unixSeconds),
                    HALF_SECOND,
                    fields.path(2).asDouble(0) / 1e6,
                    fields.path(0).asString("") + "@" + unixSeconds));
        }
        return moments;
    }

    private static JsonNode objectAsEntry(JsonNode entry) {
        return JSON.createArrayNode()
                .add(entry.path("id"))
                .add(first(entry, "time", "start_time", "timestamp"))
                .add(first(entry, "duration", "us", "micros"))
                .add(first(entry, "command", "args", "cmd"))
                .add(first(entry, "client_address", "client", "addr"))
                .add(first(entry, "client_name", "name"));
    }

    private static JsonNode first(JsonNode entry, String... names) {
        for (String name : names) {
            if (entry.has(name)) {
                return entry.get(name);
            }
        }
        return entry.path(names[0]);
    }

    private static String client(JsonNode fields) {
        String address = fields.path(4).asString("");
        String name = fields.path(5).asString("");
        String client = name.isEmpty() ? address : name + " " + address;
        return client.isBlank() ? "" : " ← " + clip(client.strip());
    }

    private static List<Moment> pings(Answer answer, JsonNode json) {
        JsonNode micros = json.isArray() ? json : json.path("micros");
        double every = json.isArray() ? Double.NaN : json.path("every").asDouble(Double.NaN);
        List<Moment> moments = new ArrayList<>();
        double at = answer.atMillis();
        int n = 0;
        for (JsonNode rtt : micros) {
            double seconds = rtt.isNumber() ? rtt.asDouble() / 1e6 : Double.NaN;
            if (moments.size() < MAX_MOMENTS) {
                moments.add(new Moment(
                        scope(answer), Moment.Kind.PING, "", (long) at, 0, seconds, answer.atMillis() + "/" + n++));
            }
            double lasted = Double.isNaN(seconds) ? 0 : seconds * 1e3;
            at += Double.isNaN(every) ? PING_PAUSE_MILLIS + lasted : every;
        }
        return moments;
    }

    private Scrape config(Answer answer, JsonNode json) {
        Map<String, String> facts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> setting : json.properties()) {
            String name = setting.getKey();
            if (name.equals("refused")) {
                StringBuilder refused = new StringBuilder();
                setting.getValue().forEach(command -> refused.append(refused.isEmpty() ? "" : ",")
                        .append(clip(command.asString(""))));
                facts.put(Facts.REFUSED, refused.toString());
            } else if (!name.contains("pass") && !name.contains("auth") && facts.size() < MAX_FACTS) {
                facts.put(Facts.REDIS_CONFIG + name, clip(setting.getValue().asString("")));
            }
        }
        return scraped(answer, false, List.of(), List.of(), facts);
    }

    private Scrape moments(Answer answer, List<Moment> moments) {
        return scraped(answer, false, List.of(), moments, Map.of());
    }

    private static Scrape scraped(
            Answer answer, boolean decidesUp, List<Sample> samples, List<Moment> moments, Map<String, String> facts) {
        String version =
                facts.getOrDefault(Facts.REDIS_INFO + "valkey_version", facts.get(Facts.REDIS_INFO + "redis_version"));
        Identity identity = new Identity(
                scope(answer),
                ExporterPlan.shortName(
                        answer.target().host() != null
                                ? answer.target().host()
                                : answer.target().addressHost()),
                null,
                null,
                version);
        return new Scrape.Scraped(
                answer.target(), decidesUp, answer.atMillis(), identity, samples, List.of(), moments, facts, List.of());
    }

    private static Scope scope(Answer answer) {
        return Scope.redis(answer.target().group(), answer.target().address());
    }

    private long ourTime(Answer answer, long unixSeconds) {
        return unixSeconds * 1_000
                + HALF_SECOND
                - clocks.getOrDefault(answer.target().address(), 0L);
    }

    private static double entry(String value, String key) {
        for (String pair : value.split(",", 20)) {
            if (pair.startsWith(key + "=")) {
                Double number = number(pair.substring(key.length() + 1));
                return number == null ? 0 : number;
            }
        }
        return 0;
    }

    private static @Nullable Double number(@Nullable String text) {
        if (text == null || text.isEmpty() || text.length() > 40) {
            return null;
        }
        try {
            double number = Double.parseDouble(text);
            return Double.isFinite(number) ? number : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String clip(String text) {
        String oneLine = text.replaceAll("\\p{Cntrl}", " ");
        return oneLine.length() > MAX_VALUE ? oneLine.substring(0, MAX_VALUE) + "…" : oneLine;
    }

    private static Map<String, Field> fields() {
        Map<String, Field> fields = new HashMap<>();
        fields.put("expired_keys", new Field(Signal.EXPIRED_KEYS, 1));
        fields.put("expired_time_cap_reached_count", new Field(Signal.EXPIRE_CAPPED, 1));
        fields.put("expire_cycle_cpu_milliseconds", new Field(Signal.EXPIRE_CPU, 1e-3));
        fields.put("evicted_keys", new Field(Signal.EVICTED_KEYS, 1));
        fields.put("total_commands_processed", new Field(Signal.REDIS_OPS, 1));
        fields.put("used_memory", new Field(Signal.REDIS_MEMORY, 1));
        fields.put("maxmemory", new Field(Signal.REDIS_MAX_MEMORY, 1));
        fields.put("rejected_connections", new Field(Signal.REDIS_REJECTED, 1));
        fields.put("connected_clients", new Field(Signal.REDIS_CLIENTS, 1));
        fields.put("aof_enabled", new Field(Signal.AOF_ENABLED, 1));
        fields.put("rdb_last_save_time", new Field(Signal.RDB_LAST_SAVE, 1));
        fields.put("rdb_changes_since_last_save", new Field(Signal.RDB_CHANGES, 1));
        fields.put("rdb_bgsave_in_progress", new Field(Signal.RDB_SAVING, 1));
        fields.put("latest_fork_usec", new Field(Signal.LAST_FORK, 1e-6));
        fields.put("aof_delayed_fsync", new Field(Signal.AOF_DELAYED, 1));
        fields.put("uptime_in_seconds", new Field(Signal.REDIS_UPTIME, 1));
        fields.put("connected_slaves", new Field(Signal.REDIS_SLAVES, 1));
        return fields;
    }
}
