package dev.onset.sources.scrape;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** The body of an answer as it comes in, in a lent array that grows with it. For one thread at a time. */
final class Body {
    /** A JuiceFS mount answers some 80 kB, a node exporter 200 kB. */
    static final int LIMIT = 16 << 20;

    /** A length that was announced, or that the last body had, is believed up to so many times what has come. */
    private static final int BELIEF = 64;

    private static final Pattern TITLE = Pattern.compile("(?i)<title[^>]*>([^<]{1,100})");

    private final Buffers buffers;
    private final long bytesAllowed;
    private final int expected;
    private byte @Nullable [] bytes;
    private int length;

    Body(Buffers buffers, long bytesAllowed, int expected) {
        this.buffers = buffers;
        this.bytesAllowed = bytesAllowed;
        this.expected = expected;
    }

    int length() {
        return length;
    }

    void add(ByteBuffer from) throws BadAnswer {
        int more = from.remaining();
        from.get(room(more), length, more);
        length += more;
    }

    /** Replaces what is compressed by what it stands for. */
    Body inflated() throws IOException {
        Body plain = new Body(buffers, bytesAllowed, Math.max(expected, length));
        byte[] block = new byte[1 << 13];
        try (InputStream in =
                new GZIPInputStream(new ByteArrayInputStream(bytes == null ? block : bytes, 0, length), 1 << 13)) {
            for (int read = in.read(block); read >= 0; read = in.read(block)) {
                plain.add(ByteBuffer.wrap(block, 0, read));
            }
            giveBack();
            return plain;
        } catch (IOException e) {
            plain.giveBack();
            throw e;
        }
    }

    /** Hands the array on to the answer. */
    byte[] handOver() {
        byte[] handed = bytes == null ? new byte[0] : bytes;
        bytes = null;
        return handed;
    }

    void giveBack() {
        if (bytes != null) {
            buffers.giveBack(bytes);
            bytes = null;
        }
    }

    /** Content-Type is no help here: exporters leave it out, and log-in pages come with status 200. */
    @Nullable
    String htmlTitle() {
        int at = 0;
        while (at < length && bytes != null && bytes[at] <= ' ' && bytes[at] >= 0) {
            at++;
        }
        if (bytes == null || at == length || bytes[at] != '<') {
            return null;
        }
        String head = new String(bytes, at, Math.min(length - at, 4096), StandardCharsets.UTF_8);
        Matcher title = TITLE.matcher(head);
        return title.find() ? " titled \"" + title.group(1).strip() + "\"" : "";
    }

    private byte[] room(int more) throws BadAnswer {
        int needed = length + more;
        if (needed > LIMIT) {
            throw new BadAnswer("answered more than the limit of " + (LIMIT >> 20) + " MiB");
        }
        byte[] now = bytes;
        if (now != null && now.length >= needed) {
            return now;
        }
        int believed = (int) Math.min(expected, (long) needed * BELIEF);
        int size = Math.max(Math.max(needed, believed), now == null ? 0 : Math.min(LIMIT, now.length * 2));
        if (buffers.lentBytes() + size > bytesAllowed) {
            throw new BadAnswer("the answers of this instant together are more than " + (bytesAllowed >> 20)
                    + " MiB, a quarter of the memory");
        }
        byte[] larger = buffers.take(size);
        if (now != null) {
            System.arraycopy(now, 0, larger, 0, length);
            buffers.giveBack(now);
        }
        bytes = larger;
        return larger;
    }

    /** An answer that came and is of no use. */
    static final class BadAnswer extends IOException {
        BadAnswer(String message) {
            super(message);
        }
    }
}
