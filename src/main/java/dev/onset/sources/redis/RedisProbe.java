package dev.onset.sources.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks one Redis what costs it nothing: a few constant-time commands in one round per step, and a PING loop beside it.
 * It only reads; the one thing it sets is the name of its own connections.
 */
public final class RedisProbe implements AutoCloseable {
    static final String CLIENT_NAME = "onset";

    private static final JsonMapper JSON = new JsonMapper();
    private static final long EXTRAS_EVERY_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long CONFIG_EVERY_MILLIS = Duration.ofMinutes(10).toMillis();
    private static final long LONGEST_WAIT_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long READ_LIMIT_MILLIS = 5000;
    private static final int SLOW_FEW = 16;
    private static final int SLOW_MORE = 64;
    private static final int ARGUMENTS_KEPT = 8;
    private static final int ARGUMENT_CHARS = 64;

    /** Sections that INFO leaves out unless asked; they list every command, so once a minute is enough. */
    private static final List<String> EXTRAS = List.of("commandstats", "latencystats", "errorstats");

    /**
     * Settings that rules and remedies look at, the deciding one first: it is asked alone to learn whether CONFIG is
     * allowed. Named one by one, because the whole configuration holds the passwords.
     */
    private static final List<String> CONFIG_NAMES = List.of(
            "latency-monitor-threshold",
            "slowlog-log-slower-than",
            "maxmemory",
            "maxmemory-policy",
            "save",
            "appendonly",
            "appendfsync",
            "no-appendfsync-on-rewrite",
            "dir",
            "hz",
            "dynamic-hz",
            "active-expire-effort",
            "lazyfree-lazy-expire",
            "lazyfree-lazy-eviction",
            "lazyfree-lazy-server-del",
            "lazyfree-lazy-user-del",
            "lazyfree-lazy-user-flush",
            "maxclients",
            "io-threads",
            "activedefrag",
            "timeout");

    private final Target target;
    private final RedisSettings settings;
    private final Duration limit;
    private final Clock clock;
    private final ScheduledExecutorService watchdog;
    private final Refusals refusals;
    private final PingLoop pings;

    private @Nullable Line line;
    private volatile Line.@Nullable Plug plug;
    private volatile boolean connected;
    private volatile boolean closed;
    private int failures;
    private long nextAttemptMillis;
    private Gap lastGap = Gap.NOT_SCRAPED_YET;
    private String lastDetail = "";
    private long extrasMillis;
    private long configMillis;
    private long lastSlowId = -1;
    private final Map<String, List<Long>> lastLatest = new LinkedHashMap<>();

    /**
     * @param limit for a whole round, from connecting to the last byte
     * @param watchdog cuts rounds that take longer
     */
    public RedisProbe(
            String group, RedisSettings settings, Duration limit, Clock clock, ScheduledExecutorService watchdog) {
        this.target = new Target(SourceKind.REDIS, group, settings.address(), null);
        this.settings = settings;
        this.limit = limit;
        this.clock = clock;
        this.watchdog = watchdog;
        this.refusals = new Refusals(clock);
        this.pings = new PingLoop(target, settings, clock, refusals, () -> connected);
    }

    public Target target() {
        return target;
    }

    public RedisSettings settings() {
        return settings;
    }

    /** Commands that this Redis refuses to us. */
    public Collection<String> refused() {
        return refusals.all();
    }

    public void startPings() {
        pings.start();
    }

    /**
     * One round: what it answered, and the pings since the last one. Blocks, at most a little over the limit; not for
     * use by two threads at a time.
     */
    public List<Answer> round() {
        Round round = new Round();
        try {
            if (clock.millis() < nextAttemptMillis) {
                round.missing(Answer.Kind.INFO, lastGap, lastDetail);
            } else {
                round.run();
            }
        } catch (IOException | RuntimeException e) {
            round.failed(e);
        }
        round.answers.addAll(pings.drain());
        return List.copyOf(round.answers);
    }

    @Override
    public void close() {
        closed = true;
        pings.close();
        Line.Plug open = plug;
        if (open != null) {
            open.pull();
        }
    }

    /** A command on its way, and what became of it. */
    private static final class Ask {
        final String name;
        final Command command;
        final String[] arguments;

        @Nullable
        Object reply;

        Ask(String name, Command command, String... arguments) {
            this.name = name;
            this.command = command;
            this.arguments = arguments;
        }
    }

    private final class Round {
        final List<Answer> answers = new ArrayList<>();
        final long atMillis = clock.millis();
        final long from = System.nanoTime();
        final boolean extras = atMillis - extrasMillis >= EXTRAS_EVERY_MILLIS;

        void run() throws IOException {
            Line kept = line;
            if (kept != null) {
                try {
                    within(kept.plug(), () -> converse(kept));
                    return;
                } catch (JedisConnectionException e) {
                    if (kept.plug().pulled() || timedOut(e)) {
                        throw e;
                    }
                    // It was closed while it lay idle: a restart should not cost the step as well.
                    drop(kept);
                }
            }
            Line.Plug fresh = new Line.Plug();
            within(fresh, () -> {
                int readLimit = (int) Math.min(READ_LIMIT_MILLIS, limit.toMillis());
                Line opened = Line.open(settings, 0, readLimit, fresh);
                line = opened;
                startOver();
                converse(opened);
            });
        }

        /** Runs something that talks through a plug, and pulls the plug when it takes too long. */
        private void within(Line.Plug current, Talk talk) throws IOException {
            plug = current;
            if (closed) {
                return;
            }
            ScheduledFuture<?> cut = watchdog.schedule(current::pull, limit.toMillis(), TimeUnit.MILLISECONDS);
            try {
                talk.run();
                failures = 0;
                nextAttemptMillis = 0;
            } finally {
                cut.cancel(false);
            }
        }

        private void converse(Line open) {
            boolean first = !connected;
            boolean config = first || atMillis - configMillis >= CONFIG_EVERY_MILLIS;
            // TIME comes first, so that its reply is not delayed by the others.
            Ask time = new Ask("TIME", Command.TIME);
            Ask info = new Ask("INFO", Command.INFO);
            List<Ask> more = EXTRAS.stream()
                    .map(section -> new Ask("INFO", Command.INFO, section))
                    .toList();
            Ask latest = new Ask("LATENCY", Command.LATENCY, "LATEST");
            Ask slow = new Ask("SLOWLOG", Command.SLOWLOG, "GET", String.valueOf(SLOW_FEW));
            Ask firstConfig = new Ask("CONFIG", Command.CONFIG, "GET", CONFIG_NAMES.get(0));

            List<Ask> asks = new ArrayList<>(List.of(time, info));
            if (first || extras) {
                asks.addAll(more);
            }
            asks.addAll(List.of(latest, slow));
            if (config) {
                asks.add(firstConfig);
            }
            if (first) {
                asks.add(new Ask("CLIENT", Command.CLIENT, "SETNAME", CLIENT_NAME));
            }
            List<Ask> allowed =
                    asks.stream().filter(ask -> refusals.allows(ask.name)).toList();
            double offset = exchange(open, allowed);
            if (info.reply instanceof JedisDataException error
                    && String.valueOf(error.getMessage()).startsWith("NOAUTH")) {
                throw error;
            }
            connected = true;

            List<Ask> histories = changedEvents(latest);
            Ask moreSlow = new Ask("SLOWLOG", Command.SLOWLOG, "GET", String.valueOf(SLOW_MORE));
            List<Ask> configs = new ArrayList<>(List.of(firstConfig));
            List<Ask> second = new ArrayList<>();
            if (refusals.allows("LATENCY HISTORY")) {
                second.addAll(histories.stream().limit(1).toList());
            }
            if (mayHaveMissedSlow(slow)) {
                second.add(moreSlow);
            }
            if (firstConfig.reply instanceof List<?>) {
                CONFIG_NAMES.stream()
                        .skip(1)
                        .map(name -> new Ask("CONFIG", Command.CONFIG, "GET", name))
                        .forEach(configs::add);
                second.addAll(configs.subList(1, configs.size()));
            }
            try {
                exchange(open, second);
                if (refusals.allows("LATENCY HISTORY") && histories.size() > 1) {
                    exchange(open, histories.subList(1, histories.size()));
                }
            } finally {
                // What the first exchange brought is kept even if the second one broke.
                info(info, more, offset);
                latency(latest, histories);
                slowlog(moreSlow.reply instanceof List<?> ? moreSlow : slow);
                if (allowed.contains(firstConfig)) {
                    config(configs);
                }
            }
        }

        /** Sends all, then takes the replies; returns the clock difference where TIME was among them, else NaN. */
        private double exchange(Line open, List<Ask> asks) {
            Instant sent = clock.instant();
            long sentNanos = System.nanoTime();
            asks.forEach(ask -> open.sendCommand(ask.command, ask.arguments));
            double offset = Double.NaN;
            for (Ask ask : asks) {
                ask.reply = open.next();
                if (ask.command == Command.TIME) {
                    offset = clockOffset(ask.reply, sent, (System.nanoTime() - sentNanos) / 1e9);
                }
                if (ask.reply instanceof JedisDataException error) {
                    refusals.note(ask.name, error);
                }
            }
            return offset;
        }

        private void info(Ask info, List<Ask> more, double offset) {
            if (!(info.reply instanceof byte[] text)) {
                notAnswered(info, Answer.Kind.INFO);
                return;
            }
            StringBuilder body = new StringBuilder(new String(text, UTF_8));
            for (Ask section : more) {
                if (section.reply instanceof byte[] part) {
                    String sectionText = new String(part, UTF_8);
                    String title = sectionText.lines().findFirst().orElse("");
                    if (!title.isEmpty() && body.indexOf(title) < 0) {
                        body.append("\r\n").append(sectionText);
                    }
                }
            }
            if (more.get(0).reply != null) {
                extrasMillis = atMillis;
            }
            body.append("\r\n# Onset\r\n");
            if (!Double.isNaN(offset)) {
                body.append(String.format(Locale.ROOT, "onset_clock_offset_seconds:%.6f\r\n", offset));
            }
            Collection<String> refused = refusals.all();
            if (!refused.isEmpty()) {
                body.append("onset_refused:").append(String.join(",", refused)).append("\r\n");
            }
            add(Answer.Kind.INFO, body.toString().getBytes(UTF_8));
        }

        private void latency(Ask latest, List<Ask> histories) {
            if (!(latest.reply instanceof List<?> rows)) {
                notAnswered(latest, Answer.Kind.LATENCY);
                return;
            }
            List<Object> shown = new ArrayList<>();
            for (Object row : rows) {
                List<Long> numbers = latestNumbers(row);
                if (numbers != null) {
                    List<Object> shownRow = new ArrayList<>(List.of(eventOf(row)));
                    shownRow.addAll(numbers);
                    shown.add(shownRow);
                }
            }
            Map<String, Object> history = new LinkedHashMap<>();
            for (Ask ask : histories) {
                if (ask.reply instanceof List<?> points) {
                    history.put(
                            ask.arguments[1],
                            points.stream().filter(Round::isPoint).toList());
                }
            }
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("latest", shown);
            body.put("history", history);
            add(Answer.Kind.LATENCY, JSON.writeValueAsBytes(body));
        }

        private void slowlog(Ask slow) {
            if (!(slow.reply instanceof List<?> entries)) {
                notAnswered(slow, Answer.Kind.SLOWLOG);
                return;
            }
            List<Object> shown = new ArrayList<>();
            for (Object each : entries) {
                if (each instanceof List<?> entry
                        && entry.size() >= 4
                        && entry.get(0) instanceof Long id
                        && entry.get(1) instanceof Long at
                        && entry.get(2) instanceof Long micros
                        && entry.get(3) instanceof List<?> arguments) {
                    lastSlowId = Math.max(shown.isEmpty() ? id : lastSlowId, id);
                    shown.add(List.of(
                            id,
                            at,
                            micros,
                            arguments.stream()
                                    .limit(ARGUMENTS_KEPT)
                                    .map(Round::clipped)
                                    .toList(),
                            // Both are absent before Redis 4.
                            entry.size() > 4 ? clipped(entry.get(4)) : "",
                            entry.size() > 5 ? clipped(entry.get(5)) : ""));
                }
            }
            add(Answer.Kind.SLOWLOG, JSON.writeValueAsBytes(shown));
        }

        private void config(List<Ask> configs) {
            if (!(configs.get(0).reply instanceof List<?>)) {
                notAnswered(configs.get(0), Answer.Kind.CONFIG);
                return;
            }
            Map<String, Object> values = new LinkedHashMap<>();
            for (Ask ask : configs) {
                if (ask.reply instanceof List<?> pair && pair.size() == 2) {
                    values.put(string(pair.get(0)), string(pair.get(1)));
                }
            }
            configMillis = atMillis;
            if (!refusals.all().isEmpty()) {
                values.put("refused", refusals.all());
            }
            add(Answer.Kind.CONFIG, JSON.writeValueAsBytes(values));
        }

        private List<Ask> changedEvents(Ask latest) {
            if (!(latest.reply instanceof List<?> rows)) {
                return List.of();
            }
            Set<String> changed = new LinkedHashSet<>();
            for (Object row : rows) {
                List<Long> numbers = latestNumbers(row);
                // Redis knows some twenty events; more would be a server that is not one.
                if (numbers != null && changed.size() < 32 && !numbers.equals(lastLatest.get(eventOf(row)))) {
                    lastLatest.put(eventOf(row), numbers);
                    changed.add(eventOf(row));
                }
            }
            return changed.stream()
                    .map(event -> new Ask("LATENCY HISTORY", Command.LATENCY, "HISTORY", event))
                    .toList();
        }

        /** Whether all that came is new, so that there may be more behind it. */
        private boolean mayHaveMissedSlow(Ask slow) {
            return slow.reply instanceof List<?> entries
                    && entries.size() >= SLOW_FEW
                    && entries.get(entries.size() - 1) instanceof List<?> oldest
                    && !oldest.isEmpty()
                    && oldest.get(0) instanceof Long id
                    && id > lastSlowId + 1;
        }

        private void notAnswered(Ask ask, Answer.Kind kind) {
            if (ask.reply instanceof JedisDataException error) {
                boolean refused = !refusals.allows(ask.name);
                missing(kind, refused ? Gap.REFUSED : Gap.BAD_ANSWER, ask.name + ": " + error.getMessage());
            } else if (ask.reply != null) {
                missing(kind, Gap.BAD_ANSWER, ask.name + ": not the reply it should be");
            } else if (kind == Answer.Kind.INFO) {
                missing(kind, Gap.REFUSED, ask.name + " is refused");
            }
        }

        void failed(Exception e) {
            Line open = line;
            Line.Plug current = plug;
            boolean late = timedOut(e) || (current != null && current.pulled() && !closed);
            if (current != null) {
                current.pull();
            }
            if (open != null) {
                drop(open);
            }
            failures++;
            nextAttemptMillis = clock.millis() + Math.min(LONGEST_WAIT_MILLIS, 1000L << Math.min(failures, 6));
            if (e instanceof JedisDataException) {
                lastGap = Gap.REFUSED;
                lastDetail = String.valueOf(e.getMessage());
            } else if (late) {
                lastGap = Gap.TIMED_OUT;
                lastDetail = "no complete answer in time";
            } else if (e instanceof IOException) {
                lastGap = Gap.REFUSED;
                lastDetail = "the password cannot be read: " + e.getMessage();
            } else if (open != null || !(e instanceof JedisConnectionException)) {
                lastGap = Gap.BAD_ANSWER;
                lastDetail = "the connection broke: " + e.getMessage();
            } else {
                lastGap = Gap.TARGET_DOWN;
                lastDetail = String.valueOf(e.getMessage());
            }
            if (answers.isEmpty()) {
                missing(Answer.Kind.INFO, lastGap, lastDetail);
            }
        }

        private void add(Answer.Kind kind, byte[] body) {
            answers.add(Answer.of(target, kind, atMillis, (System.nanoTime() - from) / 1e9, body));
        }

        void missing(Answer.Kind kind, Gap gap, String what) {
            String detail = what.startsWith(target.address()) ? what : target.address() + ": " + what;
            answers.add(Answer.missing(
                    target, kind, atMillis, (System.nanoTime() - from) / 1e9, gap, Line.words(settings, detail)));
        }

        private static boolean isPoint(Object point) {
            return point instanceof List<?> pair
                    && pair.size() == 2
                    && pair.get(0) instanceof Long
                    && pair.get(1) instanceof Long;
        }

        private static String clipped(@Nullable Object value) {
            String text = string(value);
            return text.length() <= ARGUMENT_CHARS ? text : text.substring(0, ARGUMENT_CHARS - 1) + "…";
        }
    }

    /** Something that talks to the server. */
    @FunctionalInterface
    private interface Talk {
        void run() throws IOException;
    }

    /** A new connection may be a new server, or one that allows more. */
    private void startOver() {
        connected = false;
        refusals.forget();
        lastLatest.clear();
        lastSlowId = -1;
    }

    private void drop(Line open) {
        open.close();
        line = null;
        connected = false;
    }

    /** Jedis hides the reason among the suppressed: it may have tried several addresses. */
    private static boolean timedOut(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return true;
            }
            for (Throwable suppressed : cause.getSuppressed()) {
                if (suppressed instanceof SocketTimeoutException) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Redis' clock minus ours: its TIME was read about half a round trip after we sent the question. */
    private static double clockOffset(@Nullable Object reply, Instant sent, double roundTrip) {
        if (!(reply instanceof List<?> parts) || parts.size() != 2) {
            return Double.NaN;
        }
        try {
            double theirs = Long.parseLong(string(parts.get(0))) + Long.parseLong(string(parts.get(1))) / 1e6;
            double ours = sent.getEpochSecond() + sent.getNano() / 1e9 + roundTrip / 2;
            return theirs - ours;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static String eventOf(Object row) {
        return row instanceof List<?> fields ? string(fields.get(0)) : "";
    }

    /** When, last and longest; null where the row is not one. Newer servers append more fields. */
    private static @Nullable List<Long> latestNumbers(Object row) {
        return row instanceof List<?> fields
                        && fields.size() >= 4
                        && fields.get(0) instanceof byte[] name
                        && name.length <= ARGUMENT_CHARS
                        && fields.get(1) instanceof Long at
                        && fields.get(2) instanceof Long last
                        && fields.get(3) instanceof Long longest
                ? List.of(at, last, longest)
                : null;
    }

    private static String string(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(value);
    }
}
