package dev.onset.sources.scrape;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Asks exporters for their metrics. Whatever a target does (hang, drip, send a hundred megabytes), its question ends
 * within the limit and disturbs no other target; there is never a second question to a target while one is under way.
 */
public final class Scraper implements AutoCloseable {
    /** A JuiceFS mount answers some 70 kB, a node exporter 200 kB. */
    public static final int BODY_LIMIT = 16 << 20;

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);
    /** What a question may outlast its limit by: a name look-up cannot be cancelled. */
    private static final long GRACE_MILLIS = 250;

    private static final Pattern TITLE = Pattern.compile("(?i)<title[^>]*>([^<]{1,100})");

    private final Clock clock;
    private final Duration limit;
    private final OkHttpClient http;
    /** One thread per question under way: they must start at the same instant, and a queue would spread them. */
    private final ExecutorService threads;

    private final Set<Target> underWay = ConcurrentHashMap.newKeySet();
    private final AtomicLong bytesHeld = new AtomicLong();
    private final long bytesAllowed = Runtime.getRuntime().maxMemory() / 4;

    /**
     * @param limit for a whole question, from connecting to the last byte
     */
    public Scraper(Duration limit, Clock clock) {
        this.clock = clock;
        this.limit = limit;
        this.threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "onset-scrape");
            thread.setDaemon(true);
            return thread;
        });
        this.http = new OkHttpClient.Builder()
                .connectTimeout(CONNECT_LIMIT.compareTo(limit) < 0 ? CONNECT_LIMIT : limit)
                .callTimeout(limit)
                .readTimeout(Duration.ZERO)
                .retryOnConnectionFailure(false)
                .followRedirects(false)
                .followSslRedirects(false)
                .proxy(Proxy.NO_PROXY)
                .protocols(List.of(Protocol.HTTP_1_1))
                // A connection kept for a whole step is as likely dead as alive, and a dead one would look like a dead
                // target, because nothing is asked twice.
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.MILLISECONDS))
                .build();
    }

    /** Asks now, on a thread of its own. The future completes within the limit, and never exceptionally. */
    public CompletableFuture<Answer> ask(ExporterTarget asked) {
        long nowMillis = clock.millis();
        if (!underWay.add(asked.target())) {
            return CompletableFuture.completedFuture(Answer.missing(
                    asked.target(),
                    Answer.Kind.METRICS,
                    nowMillis,
                    0,
                    Gap.TIMED_OUT,
                    asked.target().address() + ": the question of the last step is still under way"));
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                answer.complete(get(asked));
            } catch (RuntimeException e) {
                answer.complete(missing(asked, nowMillis, System.nanoTime(), Gap.BAD_ANSWER, "fault: " + e));
            } finally {
                underWay.remove(asked.target());
                // Only completes it after an Error, which is left to the thread to report.
                answer.complete(missing(asked, nowMillis, System.nanoTime(), Gap.BAD_ANSWER, "could not be read"));
            }
        });
        return answer.completeOnTimeout(
                Answer.missing(
                        asked.target(),
                        Answer.Kind.METRICS,
                        nowMillis,
                        limit.toMillis() / 1000.0,
                        Gap.TIMED_OUT,
                        asked.target().address() + ": " + tooLate()),
                limit.toMillis() + GRACE_MILLIS,
                MILLISECONDS);
    }

    @Override
    public void close() {
        http.dispatcher().cancelAll();
        threads.shutdownNow();
    }

    private Answer get(ExporterTarget asked) {
        Request request = new Request.Builder()
                .url(asked.url().toString())
                .header("Accept", "text/plain;version=0.0.4")
                // Compressing costs the exporter CPU on the machine that trains; the network in a cluster is idle.
                .header("Accept-Encoding", asked.gzip() ? "gzip" : "identity")
                .header("Connection", "close")
                .header("User-Agent", "onset")
                .header("X-Prometheus-Scrape-Timeout-Seconds", String.valueOf(limit.toMillis() / 1000.0))
                .build();
        long atMillis = clock.millis();
        long from = System.nanoTime();
        boolean answering = false;
        try (Response response = http.newCall(request).execute()) {
            answering = true;
            byte[] body = usable(response);
            return Answer.of(asked.target(), Answer.Kind.METRICS, atMillis, secondsSince(from), body);
        } catch (BadAnswer e) {
            return missing(asked, atMillis, from, Gap.BAD_ANSWER, String.valueOf(e.getMessage()));
        } catch (SocketTimeoutException e) {
            String what = answering ? tooLate() : "no connection within " + seconds(http.connectTimeoutMillis());
            return missing(asked, atMillis, from, Gap.TIMED_OUT, what);
        } catch (InterruptedIOException e) {
            return missing(asked, atMillis, from, Gap.TIMED_OUT, tooLate());
        } catch (IOException e) {
            return answering ? brokenOff(asked, atMillis, from, e) : unanswered(asked, atMillis, from, e);
        }
    }

    private static Answer brokenOff(ExporterTarget asked, long atMillis, long from, IOException e) {
        String what = e instanceof ZipException ? "the compression of the answer is broken" : "the answer broke off";
        return missing(asked, atMillis, from, Gap.BAD_ANSWER, what + ": " + e.getMessage());
    }

    private static Answer unanswered(ExporterTarget asked, long atMillis, long from, IOException e) {
        if (e instanceof UnknownHostException) {
            return missing(asked, atMillis, from, Gap.TARGET_DOWN, "the host name is not known");
        }
        if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return missing(asked, atMillis, from, Gap.TARGET_DOWN, "connection refused or no route");
        }
        if (e instanceof ProtocolException) {
            return missing(asked, atMillis, from, Gap.BAD_ANSWER, "does not speak HTTP: " + e.getMessage());
        }
        if (e instanceof SSLException) {
            return missing(asked, atMillis, from, Gap.BAD_ANSWER, "TLS failed: " + e.getMessage());
        }
        if (e instanceof SocketException) {
            return missing(asked, atMillis, from, Gap.TARGET_DOWN, "connection lost: " + e.getMessage());
        }
        return missing(asked, atMillis, from, Gap.BAD_ANSWER, "closed the connection without an answer");
    }

    private byte[] usable(Response response) throws IOException {
        if (response.code() != 200) {
            String location = response.header("Location");
            throw new BadAnswer("answered HTTP " + response.code()
                    + (location == null ? " " + response.message() : ", a redirect to " + location));
        }
        String encoding = response.header("Content-Encoding", "identity");
        InputStream body = response.body().byteStream();
        byte[] bytes;
        switch (String.valueOf(encoding).toLowerCase(Locale.ROOT)) {
            case "", "identity" -> bytes = bounded(body);
            // Some proxies compress whether asked or not.
            case "gzip", "x-gzip" -> bytes = bounded(new GZIPInputStream(body));
            default -> throw new BadAnswer("answered in the encoding " + encoding + ", which was not asked for");
        }
        // Content-Type is no help here: exporters leave it out, and log-in pages come with status 200.
        String html = htmlTitle(bytes);
        if (html != null) {
            throw new BadAnswer("answered an HTML page" + html);
        }
        if (bytes.length == 0) {
            throw new BadAnswer("answered an empty page");
        }
        return bytes;
    }

    private byte[] bounded(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);
        byte[] buffer = new byte[1 << 14];
        int total = 0;
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                total += read;
                if (total > BODY_LIMIT) {
                    throw new BadAnswer("answered more than the limit of " + (BODY_LIMIT >> 20) + " MiB");
                }
                if (bytesHeld.addAndGet(read) > bytesAllowed) {
                    throw new BadAnswer("the answers of this instant together are more than " + (bytesAllowed >> 20)
                            + " MiB, a quarter of the memory");
                }
                bytes.write(buffer, 0, read);
            }
            return bytes.toByteArray();
        } finally {
            bytesHeld.addAndGet(-total);
        }
    }

    private static @Nullable String htmlTitle(byte[] body) {
        String head = new String(body, 0, Math.min(body.length, 4096), StandardCharsets.UTF_8).stripLeading();
        if (!head.startsWith("<")) {
            return null;
        }
        Matcher title = TITLE.matcher(head);
        return title.find() ? " titled \"" + title.group(1).strip() + "\"" : "";
    }

    private String tooLate() {
        return "no complete answer within " + seconds(limit.toMillis());
    }

    private static String seconds(long millis) {
        return millis / 1000.0 + " s";
    }

    private static double secondsSince(long from) {
        return (System.nanoTime() - from) / 1e9;
    }

    private static Answer missing(ExporterTarget asked, long atMillis, long from, Gap gap, String what) {
        String line = (asked.target().address() + ": " + what).replaceAll("\\p{Cntrl}+", " ");
        return Answer.missing(
                asked.target(),
                Answer.Kind.METRICS,
                atMillis,
                secondsSince(from),
                gap,
                line.length() <= 300 ? line : line.substring(0, 300) + "…");
    }

    /** An answer that came and is of no use. */
    private static final class BadAnswer extends IOException {
        BadAnswer(String message) {
            super(message);
        }
    }
}
