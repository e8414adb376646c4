package dev.onset.sources.recording;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** Reads ahead of whoever takes the bytes: decompressing is one core's work, reading what comes out another's. */
final class ReadAhead implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 18;
    private static final int BLOCKS = 4;

    /** What was read at once; nothing at the end, with the fault if that is what ended it. */
    private record Block(byte[] bytes, int length, @Nullable IOException fault) {}

    private final BlockingQueue<Block> full = new ArrayBlockingQueue<>(BLOCKS);
    private final BlockingQueue<byte[]> empty = new ArrayBlockingQueue<>(BLOCKS);
    private final Thread thread;

    ReadAhead(InputStream input) {
        for (int i = 0; i < BLOCKS; i++) {
            empty.add(new byte[BLOCK_BYTES]);
        }
        thread = new Thread(() -> pump(input), "onset-read-ahead");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Gives the next bytes to a taker; false at the end.
     *
     * @throws IOException what stopped the reading, after everything before it
     */
    boolean next(Taker taker) throws IOException {
        try {
            Block block = full.take();
            if (block.fault != null) {
                throw block.fault;
            }
            if (block.length == 0) {
                return false;
            }
            taker.take(block.bytes, block.length);
            empty.add(block.bytes);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Takes bytes that are used for others afterwards. */
    interface Taker {
        void take(byte[] bytes, int length);
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void pump(InputStream input) {
        try (input) {
            while (pumpBlock(input, empty.take())) {
                // on to the next one
            }
        } catch (InterruptedException | IOException e) {
            // Nobody takes any more, or everything was read and only closing failed.
        }
    }

    /** Fills a block as far as it can be filled; whether there may be more. */
    private boolean pumpBlock(InputStream input, byte[] block) throws InterruptedException {
        int length = 0;
        IOException fault = null;
        try {
            int more;
            while (length < block.length && (more = input.read(block, length, block.length - length)) > 0) {
                length += more;
            }
        } catch (IOException e) {
            fault = e;
        }
        if (length > 0) {
            full.put(new Block(block, length, null));
        }
        if (fault != null || length < block.length) {
            full.put(new Block(block, 0, fault));
            return false;
        }
        return true;
    }
}
