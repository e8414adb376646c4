package dev.onset.outlets.webhook;

/** Lets messages leave at a pace. Starts with a single token, because nothing is known of what left before a restart. */
final class TokenBucket {
    private final Pace pace;
    private double tokens = 1;
    private long filledMillis;

    TokenBucket(Pace pace, long nowMillis) {
        this.pace = pace;
        this.filledMillis = nowMillis;
    }

    boolean has(long nowMillis) {
        // A clock that was set back must not freeze the bucket.
        long passed = Math.max(0, nowMillis - filledMillis);
        tokens = Math.min(pace.burst(), tokens + (double) passed / pace.each().toMillis());
        filledMillis = nowMillis;
        return tokens >= 1;
    }

    void take() {
        tokens -= 1;
    }
}
