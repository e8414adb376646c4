package dev.onset.timeline;

import java.util.Arrays;

/** The true times of a scope's samples, shared by all its columns: two bytes a step, counted from where it begins. */
final class Times {
    private static final char NEVER = 0xFFFF;
    /** No answer: the cell reaches to the end of its step. */
    private static final char MISSED = 0xFFFE;

    private final TimeAxis axis;
    private final char[] at;
    private long last = Long.MIN_VALUE;
    /** Time of the latest answer that is older than what is kept. */
    private long older = Long.MIN_VALUE;

    Times(TimeAxis axis, int capacity) {
        this.axis = axis;
        at = new char[capacity];
        Arrays.fill(at, NEVER);
    }

    /** An answer: the cells of the step reach from the answer before to this one. The first of a step counts. */
    void answered(long step, long atMillis) {
        if (step > last) {
            put(step, (char) (atMillis - axis.startMillis(step)));
        }
    }

    /** No answer: the cells of the step are gaps from the last answer to the end of the step. */
    void missed(long step) {
        if (step > last) {
            put(step, MISSED);
        }
    }

    long from(long step) {
        if (!covers(step) || at[slot(step)] == NEVER) {
            return Long.MIN_VALUE;
        }
        for (long before = step - 1; before > last - at.length; before--) {
            if (at[slot(before)] < MISSED) {
                return millis(before);
            }
        }
        return older == Long.MIN_VALUE && at[slot(step)] != MISSED ? millis(step) : older;
    }

    long to(long step) {
        return covers(step) ? millis(step) : Long.MIN_VALUE;
    }

    private long millis(long step) {
        char offset = at[slot(step)];
        return offset == NEVER
                ? Long.MIN_VALUE
                : offset == MISSED ? axis.startMillis(step + 1) : axis.startMillis(step) + offset;
    }

    private void put(long step, char offset) {
        for (long s = last == Long.MIN_VALUE ? step : Math.max(last + 1, step - at.length + 1); s <= step; s++) {
            int slot = slot(s);
            if (at[slot] < MISSED) {
                older = axis.startMillis(s - at.length) + at[slot];
            }
            at[slot] = NEVER;
        }
        at[slot(step)] = offset;
        last = step;
    }

    private boolean covers(long step) {
        return last != Long.MIN_VALUE && step <= last && step > last - at.length;
    }

    private int slot(long step) {
        return (int) Math.floorMod(step, (long) at.length);
    }
}
