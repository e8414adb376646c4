package dev.onset.sources.redis;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A server on loopback that speaks enough of Redis to be probed, and to refuse. Replies are written raw. */
final class FakeRedis implements AutoCloseable {
    static final String UNKNOWN = "-ERR unknown command\r\n";
    static final String NOPERM = "-NOPERM this user has no permissions to run this command\r\n";
    /** Never answered: whoever waits for it waits for ever. */
    static final String HANG = "";

    private final ServerSocket server;
    private final Thread acceptor;
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Map<String, String> replies = new ConcurrentHashMap<>();

    private volatile CountDownLatch gate = new CountDownLatch(0);

    FakeRedis() {
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        on("PING", "+PONG\r\n");
        on("INFO", bulk("# Server\r\nredis_version:7.0.15\r\n"));
        on("TIME", array(bulk("1796085600"), bulk("0")));
        on("LATENCY LATEST", "*0\r\n");
        on("LATENCY HISTORY", "*0\r\n");
        on("SLOWLOG GET", "*0\r\n");
        on("CONFIG GET", "*0\r\n");
        on("CLIENT SETNAME", "+OK\r\n");
        acceptor = daemon(this::accept);
    }

    static String bulk(String text) {
        return "$" + text.getBytes(StandardCharsets.UTF_8).length + "\r\n" + text + "\r\n";
    }

    static String array(String... items) {
        return "*" + items.length + "\r\n" + String.join("", items);
    }

    /** The reply to a command; the longest match of its first words counts. */
    FakeRedis on(String command, String reply) {
        replies.put(command, reply);
        return this;
    }

    int port() {
        return server.getLocalPort();
    }

    String url() {
        return "redis://127.0.0.1:" + port();
    }

    /** Every command so far. */
    List<String> asked() {
        return asked;
    }

    long asked(String prefix) {
        return asked.stream().filter(command -> command.startsWith(prefix)).count();
    }

    /** From now on nothing is answered, as if one long command were running. */
    void freeze() {
        gate = new CountDownLatch(1);
    }

    void thaw() {
        gate.countDown();
    }

    void hangUp() throws IOException {
        for (Socket connection : open) {
            connection.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        try {
            // Until the acceptor has noticed, the port is still open.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        hangUp();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                open.add(connection);
                Thread unused = daemon(() -> serve(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(connection.getInputStream()));
            OutputStream out = connection.getOutputStream();
            while (true) {
                List<String> words = command(in);
                asked.add(String.join(" ", words));
                String reply = reply(words);
                gate.await();
                if (reply.equals(HANG)) {
                    new CountDownLatch(1).await();
                }
                out.write(reply.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (IOException | InterruptedException gone) {
            // The client hung up.
        } finally {
            open.remove(connection);
        }
    }

    private String reply(List<String> words) {
        for (int length = words.size(); length > 0; length--) {
            String name = String.join(" ", words.subList(0, length));
            String reply = replies.get(length <= 2 ? name.toUpperCase(Locale.ROOT) : name);
            reply = reply == null ? replies.get(name) : reply;
            if (reply != null) {
                return reply;
            }
        }
        return UNKNOWN;
    }

    private static List<String> command(DataInputStream in) throws IOException {
        String head = line(in);
        if (!head.startsWith("*")) {
            return Arrays.asList(head.split(" "));
        }
        List<String> words = new ArrayList<>();
        for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
            byte[] word = new byte[Integer.parseInt(line(in).substring(1))];
            in.readFully(word);
            line(in);
            words.add(new String(word, StandardCharsets.UTF_8));
        }
        return words;
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "fake-redis");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
