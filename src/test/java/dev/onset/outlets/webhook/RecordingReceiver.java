package dev.onset.outlets.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** A service on loopback that writes down what it is sent and answers as told. */
public final class RecordingReceiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<Recorded> requests = new ArrayList<>();
    private final Queue<Answer> answers = new ArrayDeque<>();
    private final Function<Recorded, Answer> otherwise;

    /** What arrived. */
    public record Recorded(String target, Map<String, String> headers, String body) {
        public String id() {
            return String.valueOf(headers.get("idempotency-key"));
        }
    }

    /** What to say. */
    public record Answer(int status, Map<String, String> headers, String body, boolean hangs) {
        public static Answer of(int status, String body) {
            return new Answer(status, Map.of(), body, false);
        }

        public Answer with(String header, String value) {
            Map<String, String> more = new HashMap<>(headers);
            more.put(header, value);
            return new Answer(status, more, body, hangs);
        }

        /** Never answers. */
        public static Answer nothing() {
            return new Answer(0, Map.of(), "", true);
        }
    }

    public RecordingReceiver(Function<Recorded, Answer> otherwise) {
        this.otherwise = otherwise;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /** The next answer; answers are given in order, then what the constructor was given. */
    public synchronized RecordingReceiver next(Answer answer) {
        answers.add(answer);
        return this;
    }

    public synchronized List<Recorded> requests() {
        return List.copyOf(requests);
    }

    private synchronized Answer record(Recorded request) {
        requests.add(request);
        Answer answer = answers.poll();
        return answer == null ? otherwise.apply(request) : answer;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new HashMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Answer answer = record(new Recorded(exchange.getRequestURI().toString(), headers, body));
            if (answer.hangs()) {
                closed.await();
                return;
            }
            byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
            answer.headers().forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
