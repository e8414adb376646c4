package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lines of a stream, one at a time, as ranges of one array. */
final class Lines implements AutoCloseable {
    private final ReadAhead ahead;
    private final int mostBytes;
    private byte[] bytes = new byte[1 << 19];
    private int filled;
    private int from;
    private int to;
    private int number;
    private boolean ended;

    /** A line that is longer than allowed. */
    static final class TooLong extends IOException {
        TooLong(String message) {
            super(message);
        }
    }

    /**
     * @param mostBytes in a line; one that is longer is a fault
     */
    Lines(InputStream input, int mostBytes) {
        ahead = new ReadAhead(input);
        this.mostBytes = mostBytes;
    }

    /**
     * Goes on to the next line; false after the last one.
     *
     * @throws IOException where it cannot be read
     */
    boolean next() throws IOException {
        int begin = number == 0 ? 0 : to + 1;
        int searched = begin;
        while (true) {
            int end = lineEnd(searched);
            if (end < filled || (ended && end > begin)) {
                from = begin;
                to = end;
                number++;
                return true;
            }
            if (ended) {
                return false;
            }
            if (end - begin > mostBytes) {
                throw new TooLong("the line is longer than " + (mostBytes >> 20) + " MiB");
            }
            searched = end - begin;
            makeRoom(begin);
            begin = 0;
            ended = !ahead.next(this::append);
        }
    }

    /** Of the line, counted from 1; the number of lines so far. */
    int number() {
        return number;
    }

    /** An array that holds the line, until the next one. */
    byte[] bytes() {
        return bytes;
    }

    int from() {
        return from;
    }

    int length() {
        return to - from;
    }

    String text() {
        return new String(bytes, from, length(), UTF_8);
    }

    @Override
    public void close() {
        ahead.close();
    }

    private int lineEnd(int searched) {
        int at = searched;
        while (at < filled && bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    /** What is not a whole line yet moves to the front. */
    private void makeRoom(int begin) {
        filled -= begin;
        System.arraycopy(bytes, begin, bytes, 0, filled);
    }

    private void append(byte[] block, int length) {
        if (filled + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, filled + length));
        }
        System.arraycopy(block, 0, bytes, filled, length);
        filled += length;
    }
}
