package dev.onset.sources.scrape;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** An exporter on loopback that can misbehave in every way a socket allows. */
public final class FakeExporter implements AutoCloseable {
    /** What it does with a connection whose request it has read. */
    @FunctionalInterface
    public interface Behaviour {
        void answer(Socket connection, OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile Behaviour behaviour;
    private volatile boolean keepsConnections;

    public FakeExporter(Behaviour behaviour) {
        this.behaviour = behaviour;
        try {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    public static Behaviour text(String body) {
        return raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    public static Behaviour raw(String bytes) {
        return (connection, out) -> out.write(bytes.getBytes(StandardCharsets.UTF_8));
    }

    /** Accepts, reads the request and never answers. */
    public static Behaviour hang() {
        return (connection, out) -> new CountDownLatch(1).await();
    }

    public static Behaviour drip(long everyMillis) {
        return (connection, out) -> {
            out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            while (true) {
                out.write('#');
                out.flush();
                Thread.sleep(everyMillis);
            }
        };
    }

    /** Closes so that the peer sees a reset instead of an end. */
    public static Behaviour reset() {
        return (connection, out) -> {
            connection.setSoLinger(true, 0);
            connection.close();
        };
    }

    public void now(Behaviour next) {
        behaviour = next;
    }

    /** From now on a connection may be used for several requests. */
    public FakeExporter keepingConnections() {
        keepsConnections = true;
        return this;
    }

    /** As a restart does, or an idle limit. */
    public void closeConnections() throws IOException {
        for (Socket connection : open) {
            connection.close();
        }
    }

    public String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    /** Request line and headers of each request so far. */
    public List<String> requests() {
        return requests;
    }

    @Override
    public void close() throws IOException {
        server.close();
        closeConnections();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                open.add(connection);
                daemon(() -> serve(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
            do {
                StringBuilder request = new StringBuilder();
                String line = in.readLine();
                for (; line != null && !line.isEmpty(); line = in.readLine()) {
                    request.append(line).append('\n');
                }
                if (line == null && keepsConnections) {
                    return;
                }
                requests.add(request.toString());
                behaviour.answer(connection, connection.getOutputStream());
                connection.getOutputStream().flush();
            } while (keepsConnections && !connection.isClosed());
        } catch (IOException | InterruptedException gone) {
            // The scraper hung up, which is what most tests are about.
        } finally {
            open.remove(connection);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-exporter");
        thread.setDaemon(true);
        thread.start();
    }
}
