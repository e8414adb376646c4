package dev.onset.outlets.webhook;

import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.Outbox;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what the outbox holds, at least once. Each receiver has a thread of its own, so that one that hangs delays
 * nobody else.
 */
public final class OutboxWorker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OutboxWorker.class);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final Outbox outbox;
    private final InstantSource clock;
    private final Set<String> names;
    private final List<Courier> couriers;
    private final ScheduledExecutorService threads;

    public OutboxWorker(Outbox outbox, Receivers receivers, InstantSource clock) {
        this.outbox = outbox;
        this.clock = clock;
        this.names = receivers.all().stream().map(one -> one.settings().name()).collect(Collectors.toUnmodifiableSet());
        this.couriers = receivers.all().stream()
                .map(one -> new Courier(one, outbox, receivers.externalUrl(), clock))
                .toList();
        this.threads = Executors.newScheduledThreadPool(couriers.size() + 1, work -> {
            Thread thread = new Thread(work, "outbox");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        every(Duration.ofDays(1), this::tidy);
        couriers.forEach(courier -> every(LOOK_EVERY, courier::run));
    }

    /** Ends after the attempts that are under way: one that is broken off may have arrived and would be repeated. */
    @Override
    public void close() {
        couriers.forEach(Courier::stop);
        threads.shutdown();
        try {
            if (!threads.awaitTermination(15, TimeUnit.SECONDS)) {
                log.warn("an attempt to deliver is still under way; it may be repeated after the restart");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A scheduled task that throws is never run again; a bug must be seen, not end all messages. */
    private void every(Duration pause, Runnable work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                log.error("the outbox stumbled", e);
            }
        };
        var unused = threads.scheduleWithFixedDelay(guarded, 0, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tidy() {
        try {
            outbox.tidy(names, clock.millis());
        } catch (StoreUnavailable e) {
            log.warn("the outbox was not tidied: {}", e.getMessage());
        }
    }
}
