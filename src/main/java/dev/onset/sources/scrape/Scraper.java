package dev.onset.sources.scrape;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequestInterceptor;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.bootstrap.AsyncRequesterBootstrap;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncRequester;
import org.apache.hc.core5.http.protocol.DefaultHttpProcessor;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks exporters for their metrics. Whatever a target does (hang, drip, send a hundred megabytes), its question ends
 * within the limit and disturbs no other target: waiting takes no thread, and an answer takes room only as it comes.
 * There is never a second question to a target while one is under way. A connection is kept from question to question.
 */
public final class Scraper implements AutoCloseable {
    /** An answer that takes longer is no longer reckoned with, though still waited for. */
    static final long LATE_MILLIS = 2000;

    private static final Logger LOG = LoggerFactory.getLogger(Scraper.class);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);
    private static final long CHECK_MILLIS = 100;
    private static final long TIDY_MILLIS = 10_000;
    /** Targets that are no longer asked: twice the longest step there is. */
    private static final long UNUSED_NANOS = Duration.ofMinutes(2).toNanos();

    /** Three of them stand ready per connection; smaller ones make more system calls of a body. */
    private static final int CONNECTION_BUFFER = 1 << 12;

    private final Clock clock;
    private final long limitMillis;
    private final long connectMillis;
    private final long bytesAllowed = Runtime.getRuntime().maxMemory() / 4;
    private final int connectionLimit = connectionLimit();
    private final Buffers buffers = new Buffers(bytesAllowed / 4);
    private final Gate gate = new Gate(buffers, bytesAllowed / 2);
    private final Names names = new Names();
    private final Map<Target, Line> lines = new ConcurrentHashMap<>();
    private final Map<Target, Question> underWay = new ConcurrentHashMap<>();
    private final HttpAsyncRequester http;
    private final ScheduledExecutorService deadlines = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "onset-deadline");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * @param limit for a whole question, from connecting to the last byte
     */
    public Scraper(Duration limit, Clock clock) {
        this.clock = clock;
        this.limitMillis = limit.toMillis();
        this.connectMillis = Math.min(CONNECT_LIMIT.toMillis(), limitMillis);
        this.http = AsyncRequesterBootstrap.bootstrap()
                .setIOReactorConfig(IOReactorConfig.custom()
                        .setIoThreadCount(Math.max(1, Runtime.getRuntime().availableProcessors() / 4))
                        .setTcpNoDelay(true)
                        .build())
                .setHttp1Config(Http1Config.custom()
                        .setBufferSize(CONNECTION_BUFFER)
                        .setMaxLineLength(1 << 14)
                        .setMaxHeaderCount(200)
                        .build())
                // A line's request is complete, and the same each time.
                .setHttpProcessor(new DefaultHttpProcessor(new HttpRequestInterceptor[0]))
                .setExceptionCallback(e -> LOG.debug("a connection failed", e))
                .create();
        http.start();
        everySoOften(this::check, CHECK_MILLIS);
        everySoOften(this::tidy, TIDY_MILLIS);
    }

    /**
     * Asks now. The future completes within the limit, and never exceptionally. The answer's bytes are lent until it is
     * given to {@link #release}.
     */
    public CompletableFuture<Answer> ask(ExporterTarget asked) {
        long nowMillis = clock.millis();
        Line line = lines.computeIfAbsent(asked.target(), target -> new Line(asked, Duration.ofMillis(limitMillis)));
        Question question = new Question(asked, line, this, nowMillis);
        if (underWay.putIfAbsent(asked.target(), question) != null) {
            Trouble busy = new Trouble(Gap.TIMED_OUT, "the question of the last step is still under way");
            return CompletableFuture.completedFuture(missing(asked, nowMillis, 0, busy));
        }
        line.usedNanos = System.nanoTime();
        gate.enter(question);
        return question.answer;
    }

    /** The answer was read: its bytes may be used for another one. Answers that are not ours are left alone. */
    public void release(Answer answer) {
        if (answer.bytes() != null) {
            giveBack(answer.bytes());
        }
    }

    @Override
    public void close() {
        deadlines.shutdownNow();
        names.close();
        http.close(CloseMode.IMMEDIATE);
    }

    long nowMillis() {
        return clock.millis();
    }

    long limitMillis() {
        return limitMillis;
    }

    long connectMillis() {
        return connectMillis;
    }

    Body body(int expected) {
        return new Body(buffers, bytesAllowed, expected);
    }

    void giveBack(byte[] bytes) {
        if (buffers.giveBack(bytes)) {
            gate.free(0);
        }
    }

    void free(int expected) {
        gate.free(expected);
    }

    CompletableFuture<InetAddress> address(String host) {
        return names.address(host);
    }

    void connect(HttpHost host, FutureCallback<IOSession> connected) {
        Future<IOSession> unused = http.requestSession(host, Timeout.ofMilliseconds(connectMillis), null, connected);
    }

    /** With more targets than files may be open, each connection is closed after its answer. */
    boolean keepsConnections() {
        return lines.size() <= connectionLimit;
    }

    void over(Question question) {
        underWay.remove(question.asked.target(), question);
    }

    Answer missing(ExporterTarget asked, long atMillis, double took, Trouble trouble) {
        String line = (asked.target().address() + ": " + trouble.what()).replaceAll("\\p{Cntrl}+", " ");
        return Answer.missing(
                asked.target(),
                Answer.Kind.METRICS,
                atMillis,
                took,
                trouble.gap(),
                line.length() <= 300 ? line : line.substring(0, 300) + "…");
    }

    private static int connectionLimit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? (int) Math.min(Integer.MAX_VALUE, system.getMaxFileDescriptorCount() / 4 * 3)
                : Integer.MAX_VALUE;
    }

    private void everySoOften(Runnable part, long millis) {
        ScheduledFuture<?> unused = deadlines.scheduleWithFixedDelay(
                () -> {
                    try {
                        part.run();
                    } catch (RuntimeException e) {
                        LOG.error("fault in looking after the questions under way", e);
                    }
                },
                millis,
                millis,
                MILLISECONDS);
    }

    private void check() {
        long now = System.nanoTime();
        underWay.values().forEach(question -> question.checkTime(now));
    }

    /** Hangs up where nobody asks any more. */
    private void tidy() {
        long now = System.nanoTime();
        lines.forEach((target, line) -> {
            if (now - line.usedNanos > UNUSED_NANOS && !underWay.containsKey(target)) {
                lines.remove(target, line);
                line.hangUp();
            }
        });
    }
}
