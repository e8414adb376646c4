package dev.onset.sources.scrape;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Lets questions through as long as their answers find room: those that are expected, and those that are in memory until
 * whoever takes the answers has read them. A question whose answer is late is not counted any longer, so that targets
 * that hang hold up nobody.
 */
final class Gate {
    private final Buffers buffers;
    private final long limit;
    private final Deque<Question> waiting = new ArrayDeque<>();
    private long expected;

    Gate(Buffers buffers, long limit) {
        this.buffers = buffers;
        this.limit = limit;
    }

    void enter(Question question) {
        synchronized (this) {
            if (!waiting.isEmpty() || !letsThrough(question)) {
                waiting.add(question);
                return;
            }
        }
        question.begin();
    }

    /** So many bytes are no longer expected, or were given back. */
    void free(int bytes) {
        synchronized (this) {
            expected -= bytes;
        }
        for (Question next = next(); next != null; next = next()) {
            next.begin();
        }
    }

    private synchronized @org.jspecify.annotations.Nullable Question next() {
        while (!waiting.isEmpty()) {
            Question first = waiting.element();
            if (first.settled()) {
                waiting.remove();
            } else {
                return letsThrough(first) ? waiting.poll() : null;
            }
        }
        return null;
    }

    private boolean letsThrough(Question question) {
        long taken = expected + buffers.lentBytes();
        if (taken > 0 && taken + question.expectedBytes() > limit) {
            return false;
        }
        expected += question.expectedBytes();
        return true;
    }
}
