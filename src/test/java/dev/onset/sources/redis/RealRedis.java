package dev.onset.sources.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;

/** A real redis-server from the PATH, on a free port, without persistence. */
public final class RealRedis implements AutoCloseable {
    private final Process process;
    private final int port;

    public RealRedis(Path folder, String... options) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = new ArrayList<>(
                List.of("redis-server", "--bind", "127.0.0.1", "--port", String.valueOf(port), "--save", "", "--dir"));
        command.add(folder.toString());
        command.addAll(List.of(options));
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("redis.log").toFile())
                .start();
        Awaitility.await().until(this::answers);
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    public Jedis client() {
        return new Jedis("127.0.0.1", port);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
