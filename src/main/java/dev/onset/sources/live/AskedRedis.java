package dev.onset.sources.live;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.onset.signals.Gap;
import dev.onset.sources.Answer;
import dev.onset.sources.redis.RedisProbe;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/** A Redis in its group. */
final class AskedRedis extends Asked {
    /** What a round may outlast its limit by: a name look-up cannot be cancelled. */
    private static final long GRACE_MILLIS = 250;

    private final RedisProbe probe;
    private final Duration limit;
    private final Clock clock;
    private final ExecutorService threads;
    private final AtomicBoolean underWay = new AtomicBoolean();

    AskedRedis(RedisProbe probe, Duration limit, Clock clock, ExecutorService threads, boolean quiet) {
        super(probe.target(), false, quiet);
        this.probe = probe;
        this.limit = limit;
        this.clock = clock;
        this.threads = threads;
    }

    @Override
    CompletableFuture<List<Answer>> ask() {
        long nowMillis = clock.millis();
        if (!underWay.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(late(nowMillis, 0));
        }
        CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                answers.complete(probe.round());
            } finally {
                underWay.set(false);
                answers.complete(late(nowMillis, 0));
            }
        });
        return answers.completeOnTimeout(
                late(nowMillis, limit.toMillis() / 1000.0), limit.toMillis() + GRACE_MILLIS, MILLISECONDS);
    }

    @Override
    Collection<String> refused() {
        return probe.refused();
    }

    @Override
    void startPings() {
        probe.startPings();
    }

    @Override
    public void close() {
        probe.close();
    }

    private List<Answer> late(long nowMillis, double took) {
        return List.of(Answer.missing(
                target,
                Answer.Kind.INFO,
                nowMillis,
                took,
                Gap.TIMED_OUT,
                target.address() + ": no complete answer in time"));
    }
}
