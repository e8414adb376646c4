package dev.onset.outlets.api;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter.SseEventBuilder;

/**
 * Tells open pages that a step was judged. An event says only what changed; the page fetches the state itself, also
 * after a reconnect, so a lost event loses nothing. A reader that cannot keep up is let go and comes back by itself.
 */
@Component
public class Changes implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Changes.class);
    private static final int MOST_READERS = 128;
    private static final int WAITING_EVENTS = 16;
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Set<Reader> readers = ConcurrentHashMap.newKeySet();
    private final ExecutorService writers = Executors.newCachedThreadPool(task -> daemon(task, "changes-writer"));
    private final ScheduledExecutorService heart =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "changes-heartbeat"));
    private volatile boolean running;

    /** Called once after each tick; returns at once however slow the readers are. */
    public void publish(Tick tick) {
        offer(() -> SseEmitter.event()
                .name("tick")
                .reconnectTime(3000)
                .data(new TickJson(Times.at(tick.atMillis()), tick.changed()), MediaType.APPLICATION_JSON));
    }

    SseEmitter subscribe() {
        if (readers.size() >= MOST_READERS) {
            throw new ResponseStatusException(
                    HttpStatus.SERVICE_UNAVAILABLE, "more than " + MOST_READERS + " pages are listening");
        }
        Reader reader = new Reader();
        readers.add(reader);
        reader.offer(() -> SseEmitter.event().comment("welcome").reconnectTime(3000));
        return reader.emitter;
    }

    int readers() {
        return readers.size();
    }

    void beat() {
        offer(() -> SseEmitter.event().comment("still here"));
    }

    @Override
    public void start() {
        running = true;
        var unused = heart.scheduleAtFixedRate(
                this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Streams end first: they would otherwise hold up the graceful stop of the server until its limit. */
    @Override
    public void stop() {
        running = false;
        heart.shutdownNow();
        endAll();
        writers.shutdown();
    }

    /** Readers come back by themselves. */
    void endAll() {
        readers.forEach(Reader::end);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void offer(Event event) {
        readers.forEach(reader -> reader.offer(event));
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** A builder is good for one reader only, so each reader builds its own. */
    private interface Event {
        SseEventBuilder build();
    }

    record TickJson(String at, List<String> changed) {}

    /** One open page. Events wait in its own bounded queue; at most one thread writes to it. */
    private final class Reader {
        private final SseEmitter emitter = new SseEmitter(0L);
        private final BlockingQueue<Event> waiting = new ArrayBlockingQueue<>(WAITING_EVENTS);
        private final AtomicBoolean writing = new AtomicBoolean();

        Reader() {
            emitter.onCompletion(() -> readers.remove(this));
            emitter.onError(gone -> readers.remove(this));
        }

        void offer(Event event) {
            if (!waiting.offer(event)) {
                log.debug("A page does not keep up and is let go");
                end();
                return;
            }
            write();
        }

        private void write() {
            if (running && writing.compareAndSet(false, true)) {
                writers.execute(this::drain);
            }
        }

        private void drain() {
            try {
                for (Event event = waiting.poll(); event != null; event = waiting.poll()) {
                    emitter.send(event.build());
                }
            } catch (IOException | IllegalStateException gone) {
                end();
            } finally {
                writing.set(false);
            }
            if (!waiting.isEmpty() && readers.contains(this)) {
                write();
            }
        }

        void end() {
            readers.remove(this);
            emitter.complete();
        }
    }
}
