package dev.onset.sources.scrape;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Arrays for bodies, used again and again: as many as bodies are in memory at once, whatever the number of targets. */
final class Buffers {
    private static final int UNIT = 1 << 14;

    private final long idleLimit;
    private final Map<Integer, Deque<byte[]>> idle = new HashMap<>();
    /** What is given back twice, or was never lent, must not be lent to two answers. */
    private final IdentityHashMap<byte[], Boolean> lent = new IdentityHashMap<>();

    private long idleBytes;
    private long lentBytes;

    /**
     * @param idleLimit how many bytes are kept for later
     */
    Buffers(long idleLimit) {
        this.idleLimit = idleLimit;
    }

    /** At least so long; what it holds is left over from another body. */
    synchronized byte[] take(int length) {
        int size = Math.max(1, (length + UNIT - 1) / UNIT) * UNIT;
        Deque<byte[]> ready = idle.get(size);
        byte[] array = ready == null ? null : ready.poll();
        if (array == null) {
            array = new byte[size];
        } else {
            idleBytes -= size;
        }
        lent.put(array, true);
        lentBytes += size;
        return array;
    }

    /** Whether it was lent, so that it is now free. */
    synchronized boolean giveBack(byte[] array) {
        if (lent.remove(array) == null) {
            return false;
        }
        lentBytes -= array.length;
        if (idleBytes + array.length > idleLimit) {
            // Sizes that were wanted once must not keep out those that are wanted now.
            idle.keySet().removeIf(size -> size != array.length);
            idleBytes = idle.values().stream()
                    .mapToLong(ready -> (long) ready.size() * array.length)
                    .sum();
        }
        if (idleBytes + array.length <= idleLimit) {
            idle.computeIfAbsent(array.length, size -> new ArrayDeque<>()).push(array);
            idleBytes += array.length;
        }
        return true;
    }

    synchronized long lentBytes() {
        return lentBytes;
    }
}
