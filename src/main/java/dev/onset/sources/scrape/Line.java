package dev.onset.sources.scrape;

import java.time.Duration;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/** What is kept of a target between its questions: the connection, the request, and how large its answer was. */
final class Line {
    private static final int FIRST_GUESS = 80_000;

    final BasicHttpRequest request;
    volatile @Nullable IOSession connection;
    volatile int lastLength = FIRST_GUESS;
    /** It ran out of time when last asked: nothing is reckoned with until it comes. */
    volatile boolean late;

    volatile long usedNanos = System.nanoTime();

    Line(ExporterTarget asked, Duration limit) {
        String path = asked.url().getRawPath();
        String query = asked.url().getRawQuery();
        request = new BasicHttpRequest("GET", query == null ? path : path + "?" + query);
        request.addHeader("Host", asked.url().getRawAuthority());
        request.addHeader("User-Agent", "onset");
        request.addHeader("Accept", "text/plain;version=0.0.4");
        // Compressing costs the exporter CPU on the machine that trains; the network in a cluster is idle.
        request.addHeader("Accept-Encoding", asked.gzip() ? "gzip" : "identity");
        request.addHeader("X-Prometheus-Scrape-Timeout-Seconds", String.valueOf(limit.toMillis() / 1000.0));
    }

    void hangUp() {
        IOSession open = connection;
        connection = null;
        if (open != null) {
            open.close(CloseMode.IMMEDIATE);
        }
    }
}
