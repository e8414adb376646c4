package dev.onset.sources.scrape;

import dev.onset.sources.scrape.Body.BadAnswer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;

/** A question on one connection. Everything but a failure comes from the connection's own thread. */
final class Exchange implements AsyncClientExchangeHandler {
    private final Question question;
    private final Scraper scraper;
    private final boolean reused;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile boolean answering;
    private boolean compressed;
    private Body body;

    Exchange(Question question, Scraper scraper, boolean reused) {
        this.question = question;
        this.scraper = scraper;
        this.reused = reused;
        this.body = scraper.body(0);
    }

    @Override
    public void produceRequest(RequestChannel channel, HttpContext context) throws HttpException, IOException {
        question.sent();
        channel.sendRequest(question.line.request, null, context);
    }

    @Override
    public void consumeInformation(HttpResponse response, HttpContext context) {
        answering = true;
    }

    @Override
    public void consumeResponse(HttpResponse response, EntityDetails entity, HttpContext context) throws IOException {
        answering = true;
        if (response.getCode() != 200) {
            Header location = response.getFirstHeader("Location");
            throw new BadAnswer("answered HTTP " + response.getCode()
                    + (location == null ? " " + response.getReasonPhrase() : ", a redirect to " + location.getValue()));
        }
        Header encoding = response.getFirstHeader("Content-Encoding");
        switch (encoding == null ? "" : encoding.getValue().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> compressed = false;
            // Some proxies compress whether asked or not.
            case "gzip", "x-gzip" -> compressed = true;
            default ->
                throw new BadAnswer("answered in the encoding " + encoding.getValue() + ", which was not asked for");
        }
        long announced = entity == null ? 0 : entity.getContentLength();
        // A little more than last time: bodies grow as labels appear.
        int guess = question.line.lastLength + 1024;
        body = scraper.body(announced > 0 ? (int) Math.min(announced, Body.LIMIT) : guess);
        if (entity == null) {
            streamEnd(List.of());
        }
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(Integer.MAX_VALUE);
    }

    @Override
    public void consume(ByteBuffer bytes) throws IOException {
        if (question.settled()) {
            throw new ConnectionClosedException("not waited for any longer");
        }
        body.add(bytes);
        question.noLongerExpected();
    }

    @Override
    public void streamEnd(List<? extends Header> trailers) throws IOException {
        Body plain = compressed ? body.inflated() : body;
        body = plain;
        String html = plain.htmlTitle();
        if (html != null) {
            throw new BadAnswer("answered an HTML page" + html);
        }
        if (plain.length() == 0) {
            throw new BadAnswer("answered an empty page");
        }
        if (over.compareAndSet(false, true)) {
            question.answered(plain);
        }
    }

    @Override
    public void failed(Exception e) {
        if (over.compareAndSet(false, true)) {
            question.failed(e, reused, answering);
        }
    }

    @Override
    public void cancel() {
        failed(new ConnectionClosedException());
    }

    /** Nothing comes any more: only now is it certain that nobody writes into the array. */
    @Override
    public void releaseResources() {
        body.giveBack();
        failed(new ConnectionClosedException());
    }

    @Override
    public int available() {
        return 0;
    }

    @Override
    public void produce(DataStreamChannel channel) {}
}
