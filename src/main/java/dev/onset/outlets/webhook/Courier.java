package dev.onset.outlets.webhook;

import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.Outbox;
import dev.onset.diagnoses.Outbox.Queued;
import dev.onset.signals.Text;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties the outbox of one receiver: claims a message, sends it, marks what became of it. Used by one thread at a
 * time.
 *
 * <p>A confirmed message is marked right after its reply, in the file it was queued in. Only a process that dies between
 * the two sends it again; then it carries the same id.
 */
final class Courier {
    private static final Logger log = LoggerFactory.getLogger(Courier.class);
    private static final Duration CLAIM = Duration.ofMinutes(2);
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(2);
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(10);
    /** What happened three days ago is read on the page, not in a chat. */
    private static final Duration GIVE_UP = Duration.ofDays(3);

    private final Receiver receiver;
    private final TokenBucket bucket;
    private final Outbox outbox;
    private final String externalUrl;
    private final InstantSource clock;

    private volatile boolean stopped;
    private long pausedUntilMillis;
    private int failures;
    private boolean storeFailed;
    /** The mark of an attempt that the store could not take yet: nothing else is sent before it is written. */
    private @Nullable Runnable unwritten;

    Courier(Receivers.Configured to, Outbox outbox, String externalUrl, InstantSource clock) {
        this.receiver = to.receiver();
        this.bucket = new TokenBucket(to.pace(), clock.millis());
        this.outbox = outbox;
        this.externalUrl = externalUrl;
        this.clock = clock;
    }

    /** Sends what is due and allowed now. */
    void run() {
        try {
            while (!stopped && step()) {
                // Until nothing is due, the bucket is empty or the receiver wants a pause.
            }
            storeFailed = false;
        } catch (StoreUnavailable e) {
            if (!storeFailed) {
                log.warn("{}: messages wait, the store cannot be written: {}", receiver.name(), e.getMessage());
            }
            storeFailed = true;
        }
    }

    /** Nothing more is sent; an attempt that is under way ends by itself. */
    void stop() {
        stopped = true;
    }

    private boolean step() {
        writeMark();
        long now = clock.millis();
        if (now < pausedUntilMillis || !bucket.has(now)) {
            return false;
        }
        Optional<Queued> next = outbox.claim(receiver.name(), now, now + CLAIM.toMillis());
        if (next.isEmpty()) {
            return false;
        }
        bucket.take();
        Queued message = next.get();
        Delivery delivery = deliver(message);
        unwritten = mark(message, delivery, clock.millis());
        writeMark();
        return true;
    }

    private void writeMark() {
        if (unwritten != null) {
            unwritten.run();
            unwritten = null;
        }
    }

    private Delivery deliver(Queued message) {
        try {
            return receiver.deliver(Message.of(message, externalUrl));
        } catch (RuntimeException e) {
            // A bug in one receiver costs its message, not the thread; the trace goes to the log.
            log.error("{}: cannot deliver {}", receiver.name(), message.change().messageId(), e);
            return Delivery.refused(
                    "a bug in Onset: " + e.getClass().getSimpleName(),
                    "Onset 自身出错：" + e.getClass().getSimpleName());
        }
    }

    private Runnable mark(Queued message, Delivery delivery, long now) {
        return delivery.fold(
                delivered -> {
                    failures = 0;
                    return () -> outbox.delivered(message, now, delivered.note());
                },
                refused -> {
                    failures = 0;
                    return refuse(message, now, refused.reason());
                },
                retry -> {
                    failures++;
                    pausedUntilMillis = now + longer(retry.after(), backOff(failures));
                    return again(message, retry, now);
                });
    }

    private Runnable again(Queued message, Delivery.Retry retry, long now) {
        int inRow = 1 + (retry.reason().en().equals(message.lastReason()) ? message.repeats() : 0);
        if (inRow > retry.retries()) {
            return refuse(
                    message,
                    now,
                    Text.format("given up after %d attempts:", "尝试 %d 次后放弃：", inRow)
                            .plus(retry.reason()));
        }
        if (now - message.queuedMillis() > GIVE_UP.toMillis()) {
            return refuse(message, now, new Text("given up after three days:", "三天后放弃：").plus(retry.reason()));
        }
        long due = now + longer(retry.after(), backOff(inRow));
        log.info(
                "{}: {} will be tried again: {}",
                receiver.name(),
                message.change().messageId(),
                retry.reason().en());
        return () -> outbox.again(message, now, due, retry.reason());
    }

    private Runnable refuse(Queued message, long now, Text reason) {
        log.warn("{}: {} was refused: {}", receiver.name(), message.change().messageId(), reason.en());
        return () -> outbox.refused(message, now, reason);
    }

    private static long longer(Duration asked, Duration backOff) {
        return Math.max(asked.toMillis(), backOff.toMillis());
    }

    private static Duration backOff(int failures) {
        long millis = FIRST_BACK_OFF.toMillis() << Math.min(failures - 1, 12);
        return Duration.ofMillis(Math.min(millis, LONGEST_BACK_OFF.toMillis()));
    }
}
