package dev.onset.sources.scrape;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Looks up host names. It cannot be done without a thread and cannot be cancelled, so it has a few threads of its own;
 * a name is looked up once however many ask for it. Only new connections need it.
 */
final class Names implements AutoCloseable {
    private static final int THREADS = 16;
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[.*]");

    private final Map<String, CompletableFuture<InetAddress>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "onset-names");
                thread.setDaemon(true);
                return thread;
            });

    Names() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** Fails with an {@link UnknownHostException}. */
    CompletableFuture<InetAddress> address(String host) {
        if (ADDRESS.matcher(host).matches()) {
            CompletableFuture<InetAddress> known = new CompletableFuture<>();
            complete(known, host);
            return known;
        }
        CompletableFuture<InetAddress> mine = new CompletableFuture<>();
        CompletableFuture<InetAddress> other = underWay.putIfAbsent(host, mine);
        if (other != null) {
            return other;
        }
        threads.execute(() -> {
            complete(mine, host);
            underWay.remove(host, mine);
        });
        return mine;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private static void complete(CompletableFuture<InetAddress> future, String host) {
        try {
            future.complete(InetAddress.getByName(host));
        } catch (UnknownHostException | RuntimeException e) {
            future.completeExceptionally(e);
        }
    }
}
