package dev.onset.sources.redis;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Measures the round trip of a PING every quarter of a second on a connection of its own. The next ping is sent whether
 * or not the last one was answered, so that a stall of two seconds shows as eight slow pings and not as one.
 */
final class PingLoop implements AutoCloseable {
    static final int EVERY_MILLIS = 250;

    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS);
    /** A ping that takes longer counts as lost. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Without any reply for so long the connection is given up. */
    private static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int SLOT_LIMIT = 4096;
    private static final int LINE_LIMIT = 512;
    private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Target target;
    private final RedisSettings settings;
    private final Clock clock;
    private final Refusals refusals;
    private final BooleanSupplier welcome;
    private final Thread thread;

    private final Deque<Slot> slots = new ArrayDeque<>();
    private final Deque<Slot> unanswered = new ArrayDeque<>();
    private final StringBuilder line = new StringBuilder();
    private volatile Line.@Nullable Plug plug;
    private @Nullable Socket socket;
    private long lastReplyNanos;
    private long lastAttemptNanos;
    private volatile boolean closed;

    /** One place in the rhythm. */
    private static final class Slot {
        final long atMillis;
        final long sentNanos;
        final boolean sent;
        final boolean newRun;
        boolean waiting;
        int micros = -1;

        Slot(long atMillis, long sentNanos, boolean sent, boolean newRun) {
            this.atMillis = atMillis;
            this.sentNanos = sentNanos;
            this.sent = sent;
            this.newRun = newRun;
            this.waiting = sent;
        }
    }

    /**
     * @param welcome whether the other connection to this Redis is up: as long as it is not, this one does not try
     */
    PingLoop(Target target, RedisSettings settings, Clock clock, Refusals refusals, BooleanSupplier welcome) {
        this.target = target;
        this.settings = settings;
        this.clock = clock;
        this.refusals = refusals;
        this.welcome = welcome;
        this.thread = new Thread(this::run, "onset-ping " + target.address());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /**
     * The pings since the last call whose fate is known; those behind an open one wait with it. One answer as a rule; one
     * more for each time our own process slept, because then the spacing is broken.
     */
    List<Answer> drain() {
        List<Slot> known = new ArrayList<>();
        synchronized (slots) {
            while (!slots.isEmpty() && !slots.peekFirst().waiting) {
                known.add(slots.removeFirst());
            }
        }
        List<Answer> answers = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= known.size(); i++) {
            if (i == known.size() || known.get(i).newRun) {
                answers.add(answer(known.subList(from, i)));
                from = i;
            }
        }
        return answers;
    }

    @Override
    public void close() {
        closed = true;
        Line.Plug open = plug;
        if (open != null) {
            open.pull();
        }
        thread.interrupt();
    }

    private Answer answer(List<Slot> run) {
        long atMillis = run.get(0).atMillis;
        double took = run.size() * EVERY_MILLIS / 1000.0;
        if (run.stream().noneMatch(slot -> slot.sent)) {
            boolean refused = !refusals.allows("PING");
            return Answer.missing(
                    target,
                    Answer.Kind.PING,
                    atMillis,
                    took,
                    refused ? Gap.REFUSED : Gap.TARGET_DOWN,
                    target.address() + (refused ? ": PING is refused" : ": not connected"));
        }
        StringBuilder json =
                new StringBuilder("{\"every\":").append(EVERY_MILLIS).append(",\"micros\":[");
        for (int i = 0; i < run.size(); i++) {
            int micros = run.get(i).micros;
            json.append(i == 0 ? "" : ",").append(micros < 0 ? "null" : String.valueOf(micros));
        }
        byte[] body = json.append("]}").toString().getBytes(StandardCharsets.US_ASCII);
        return Answer.of(target, Answer.Kind.PING, atMillis, took, body);
    }

    private void run() {
        boolean newRun = true;
        try {
            while (!closed && socket == null) {
                // Before the first connection there is nothing to keep a rhythm of.
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                connectIfWelcome();
            }
        } catch (InterruptedException e) {
            return;
        }
        long next = System.nanoTime();
        while (!closed) {
            try {
                readUntil(next);
                newRun |= System.nanoTime() - next > EVERY_NANOS / 2;
                if (newRun) {
                    next = System.nanoTime();
                }
                slot(newRun);
                newRun = false;
                next += EVERY_NANOS;
                if (connectIfWelcome()) {
                    // The slots that passed meanwhile had nobody to ask.
                    for (; System.nanoTime() >= next; next += EVERY_NANOS) {
                        add(new Slot(millisAt(next), next, false, false));
                    }
                }
                giveUpOld();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void slot(boolean newRun) {
        Socket open = socket;
        Slot slot = new Slot(clock.millis(), System.nanoTime(), open != null, newRun);
        add(slot);
        if (open != null) {
            unanswered.add(slot);
            try {
                open.getOutputStream().write(PING);
                open.getOutputStream().flush();
            } catch (IOException e) {
                hangUp();
            }
        }
    }

    private void add(Slot slot) {
        synchronized (slots) {
            slots.addLast(slot);
            if (slots.size() > SLOT_LIMIT) {
                slots.removeFirst();
            }
        }
    }

    private long millisAt(long nanos) {
        return clock.millis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** Takes replies in until it is time for the next ping. */
    private void readUntil(long next) throws InterruptedException {
        byte[] buffer = new byte[256];
        for (long left = next - System.nanoTime(); left > 0 && !closed; left = next - System.nanoTime()) {
            Socket open = socket;
            if (open == null) {
                TimeUnit.NANOSECONDS.sleep(left);
                continue;
            }
            try {
                open.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
                int read = open.getInputStream().read(buffer);
                long now = System.nanoTime();
                if (read < 0) {
                    hangUp();
                }
                for (int i = 0; i < read; i++) {
                    take((char) (buffer[i] & 0xFF), now);
                }
            } catch (SocketTimeoutException quiet) {
                return;
            } catch (IOException e) {
                hangUp();
            }
        }
    }

    private void take(char c, long now) {
        if (c != '\n') {
            line.append(c);
            if (line.length() > LINE_LIMIT) {
                hangUp();
            }
            return;
        }
        String reply = line.toString();
        line.setLength(0);
        Slot slot = unanswered.pollFirst();
        if (slot == null) {
            hangUp();
            return;
        }
        lastReplyNanos = now;
        if (reply.startsWith("-")) {
            // Any reply measures the way there and back, but a command that is refused is not asked again.
            refusals.note("PING", new JedisDataException(reply.substring(1)));
        }
        synchronized (slots) {
            if (slot.waiting) {
                slot.waiting = false;
                slot.micros = (int) TimeUnit.NANOSECONDS.toMicros(now - slot.sentNanos);
            }
        }
        if (!refusals.allows("PING")) {
            hangUp();
        }
    }

    private void giveUpOld() {
        long now = System.nanoTime();
        synchronized (slots) {
            for (Slot slot : unanswered) {
                if (slot.waiting && now - slot.sentNanos > LOST_NANOS) {
                    slot.waiting = false;
                }
            }
        }
        if (!unanswered.isEmpty() && now - lastReplyNanos > DEAD_NANOS) {
            hangUp();
        }
    }

    /** Whether an attempt was made, which takes its time. */
    private boolean connectIfWelcome() {
        boolean due = System.nanoTime() - lastAttemptNanos > RECONNECT_NANOS || lastAttemptNanos == 0;
        if (socket != null || closed || !due || !welcome.getAsBoolean() || !refusals.allows("PING")) {
            return false;
        }
        lastAttemptNanos = System.nanoTime();
        Line.Plug attempt = new Line.Plug();
        plug = attempt;
        try {
            Line opened = Line.open(settings, 0, (int) Duration.ofSeconds(2).toMillis(), attempt);
            if (refusals.allows("CLIENT")) {
                opened.sendCommand(Protocol.Command.CLIENT, "SETNAME", RedisProbe.CLIENT_NAME);
                if (opened.next() instanceof JedisDataException error) {
                    refusals.note("CLIENT", error);
                }
            }
            lastReplyNanos = System.nanoTime();
            line.setLength(0);
            socket = opened.socket();
        } catch (IOException | JedisException e) {
            // The other connection tells why.
            attempt.pull();
        }
        return true;
    }

    private void hangUp() {
        socket = null;
        Line.Plug open = plug;
        if (open != null) {
            open.pull();
        }
        synchronized (slots) {
            unanswered.forEach(slot -> slot.waiting = false);
            unanswered.clear();
        }
    }
}
