package dev.onset.sources.scrape;

import dev.onset.signals.Gap;
import dev.onset.sources.Answer;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;

/**
 * One question to one target, from waiting for its turn to its answer. It is settled once, by whatever comes first: the
 * answer, a failure, or the end of its time.
 */
final class Question {
    private enum Stage {
        WAITING,
        CONNECTING,
        ASKED
    }

    final ExporterTarget asked;
    final Line line;
    final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final Scraper scraper;
    private final int expectedBytes;
    private final long beganNanos = System.nanoTime();
    private final AtomicBoolean settled = new AtomicBoolean();
    private final AtomicBoolean expecting = new AtomicBoolean();
    private volatile Stage stage = Stage.WAITING;
    private volatile long connectingNanos;
    private volatile long sentNanos;
    private volatile long sentMillis;
    private volatile boolean retried;

    Question(ExporterTarget asked, Line line, Scraper scraper, long nowMillis) {
        this.asked = asked;
        this.line = line;
        this.scraper = scraper;
        this.expectedBytes = line.late ? 0 : line.lastLength;
        this.sentMillis = nowMillis;
    }

    int expectedBytes() {
        return expectedBytes;
    }

    boolean settled() {
        return settled.get();
    }

    /** Its turn has come. */
    void begin() {
        expecting.set(true);
        guarded(() -> {
            IOSession kept = line.connection;
            if (kept != null && kept.isOpen()) {
                send(kept, true);
            } else {
                connect();
            }
        });
    }

    /** The moment at which the target is asked. */
    void sent() {
        sentMillis = scraper.nowMillis();
        sentNanos = System.nanoTime();
    }

    /** The answer has come so far that it counts itself, or is so late that it must not hold up others. */
    void noLongerExpected() {
        if (expecting.compareAndSet(true, false)) {
            scraper.free(expectedBytes);
        }
    }

    void answered(Body body) {
        int length = body.length();
        line.lastLength = length;
        byte[] bytes = body.handOver();
        Answer full =
                Answer.of(asked.target(), Answer.Kind.METRICS, sentMillis, secondsSince(beganNanos), bytes, length);
        if (!settle(full)) {
            scraper.giveBack(bytes);
        }
    }

    /**
     * A connection that was kept may have been closed by the target at this very moment. That says nothing about the
     * target, so it is asked once more on a new one, but only when no byte of an answer had come.
     */
    void failed(Exception e, boolean reused, boolean answering) {
        if (reused && !answering && !retried && !settled() && !(e instanceof Body.BadAnswer)) {
            retried = true;
            line.hangUp();
            connect();
        } else {
            settle(Trouble.of(e, answering));
        }
    }

    /** Called now and then while it is under way. */
    void checkTime(long nowNanos) {
        long millis = (nowNanos - beganNanos) / 1_000_000;
        if (stage == Stage.CONNECTING && (nowNanos - connectingNanos) / 1_000_000 >= scraper.connectMillis()) {
            giveUp("no connection within " + scraper.connectMillis() / 1000.0 + " s");
        } else if (millis >= scraper.limitMillis()) {
            giveUp(
                    stage == Stage.WAITING
                            ? "not asked: the answers before it are not judged yet"
                            : "no complete answer within " + scraper.limitMillis() / 1000.0 + " s");
        } else if (sentNanos != 0 && (nowNanos - sentNanos) / 1_000_000 >= Scraper.LATE_MILLIS) {
            noLongerExpected();
        }
    }

    private void guarded(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            settle(Trouble.of(e, false));
        }
    }

    private void giveUp(String what) {
        settle(new Trouble(Gap.TIMED_OUT, what));
    }

    private void connect() {
        connectingNanos = System.nanoTime();
        stage = Stage.CONNECTING;
        CompletableFuture<?> unused = scraper.address(asked.url().getHost()).whenComplete((address, e) -> {
            if (address != null) {
                guarded(() -> connect(address));
            } else {
                Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
                settle(Trouble.of(cause instanceof Exception known ? known : new IllegalStateException(cause), false));
            }
        });
    }

    private void connect(InetAddress address) {
        String scheme = asked.url().getScheme();
        int port = asked.url().getPort() > 0 ? asked.url().getPort() : scheme.equals("https") ? 443 : 80;
        scraper.connect(new HttpHost(scheme, address, asked.url().getHost(), port), new FutureCallback<>() {
            @Override
            public void completed(IOSession connection) {
                connection.setSocketTimeout(Timeout.DISABLED);
                if (settled()) {
                    connection.close(CloseMode.IMMEDIATE);
                } else {
                    line.connection = connection;
                    send(connection, false);
                }
            }

            @Override
            public void failed(Exception e) {
                settle(Trouble.of(e, false));
            }

            @Override
            public void cancelled() {
                settle(Trouble.of(new ConnectionClosedException(), false));
            }
        });
    }

    private void send(IOSession connection, boolean reused) {
        stage = Stage.ASKED;
        Exchange exchange = new Exchange(this, scraper, reused);
        connection.enqueue(new RequestExecutionCommand(exchange, HttpCoreContext.create()), Command.Priority.NORMAL);
        if (!connection.isOpen()) {
            // Closed in between: then nobody may be left to tell.
            exchange.failed(new ConnectionClosedException());
        }
    }

    private void settle(Trouble trouble) {
        settle(scraper.missing(asked, sentMillis, secondsSince(beganNanos), trouble));
    }

    private boolean settle(Answer last) {
        if (!settled.compareAndSet(false, true)) {
            return false;
        }
        // Before the next question can begin: on this connection an answer may still come.
        if (last.missing() != null || !scraper.keepsConnections()) {
            line.hangUp();
        }
        line.late = last.missing() == Gap.TIMED_OUT;
        scraper.over(this);
        noLongerExpected();
        answer.complete(last);
        return true;
    }

    private static double secondsSince(long from) {
        return (System.nanoTime() - from) / 1e9;
    }
}
