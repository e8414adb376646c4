package dev.onset.timeline;

import java.util.Arrays;

/** The true times of a scope's samples: a ring of steps, shared by all columns of the scope. */
final class Times {
    private final long[] from;
    private final long[] to;
    private long last = Long.MIN_VALUE;
    private long lastAnswer = Long.MIN_VALUE;

    Times(int capacity) {
        from = new long[capacity];
        to = new long[capacity];
        Arrays.fill(from, Long.MIN_VALUE);
        Arrays.fill(to, Long.MIN_VALUE);
    }

    /** An answer: the cells of the step reach from the answer before to this one. The first of a step counts. */
    void answered(long step, long atMillis) {
        if (step <= last) {
            return;
        }
        put(step, lastAnswer == Long.MIN_VALUE ? atMillis : lastAnswer, atMillis);
        lastAnswer = atMillis;
    }

    /** No answer: the cells of the step are gaps from the last answer to the end of the step. */
    void missed(long step, long endMillis) {
        if (step > last) {
            put(step, lastAnswer, endMillis);
        }
    }

    long from(long step) {
        return covers(step) ? from[slot(step)] : Long.MIN_VALUE;
    }

    long to(long step) {
        return covers(step) ? to[slot(step)] : Long.MIN_VALUE;
    }

    private void put(long step, long fromMillis, long toMillis) {
        for (long s = last == Long.MIN_VALUE ? step : Math.max(last + 1, step - from.length + 1); s < step; s++) {
            from[slot(s)] = Long.MIN_VALUE;
            to[slot(s)] = Long.MIN_VALUE;
        }
        from[slot(step)] = fromMillis;
        to[slot(step)] = toMillis;
        last = step;
    }

    private boolean covers(long step) {
        return last != Long.MIN_VALUE && step <= last && step > last - from.length;
    }

    private int slot(long step) {
        return (int) Math.floorMod(step, (long) from.length);
    }
}
