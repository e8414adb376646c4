package dev.onset.sources.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

/**
 * Reads one reply of a Redis, in RESP2 or RESP3, within bounds. Jedis' own reader believes every length that it is told
 * and would try to allocate two gigabytes for a server gone mad.
 *
 * <p>Strings of all sorts become {@code byte[]}, numbers {@code Long}, sets and maps flat lists, nulls null.
 */
final class Replies {
    static final int BYTE_LIMIT = 16 << 20;

    private static final int ITEM_LIMIT = 400_000;
    private static final int DEPTH_LIMIT = 8;
    private static final int LINE_LIMIT = 1 << 16;
    /** {@code txt:} before the text of a verbatim string. */
    private static final int VERBATIM_PREFIX = 4;

    private final RedisInputStream in;
    private int bytes;
    private int items;

    private Replies(RedisInputStream in) {
        this.in = in;
    }

    /**
     * The next reply, push messages left out.
     *
     * @throws JedisDataException when it is an error
     * @throws JedisConnectionException when it is over the limits, not a reply at all, or does not come
     */
    static @Nullable Object read(RedisInputStream in) {
        Replies reply = new Replies(in);
        Object value = reply.value(0);
        while (value == Skipped.PUSH) {
            value = reply.value(0);
        }
        if (value instanceof JedisDataException error) {
            throw error;
        }
        return value;
    }

    private enum Skipped {
        PUSH
    }

    private @Nullable Object value(int depth) {
        if (++items > ITEM_LIMIT || depth > DEPTH_LIMIT) {
            throw new JedisConnectionException(
                    "a reply has more than " + ITEM_LIMIT + " items or " + DEPTH_LIMIT + " levels");
        }
        byte type = in.readByte();
        return switch (type) {
            case '+', ',', '(' -> line();
            case '-' -> new JedisDataException(new String(line(), StandardCharsets.UTF_8));
            case ':' -> number(line());
            case '#' -> line()[0] == 't' ? 1L : 0L;
            case '_' -> {
                line();
                yield null;
            }
            case '$' -> bulk(length());
            case '=' -> {
                byte[] text = bulk(length());
                yield text == null || text.length < VERBATIM_PREFIX
                        ? text
                        : java.util.Arrays.copyOfRange(text, VERBATIM_PREFIX, text.length);
            }
            case '!' -> {
                byte[] message = bulk(length());
                yield new JedisDataException(
                        message == null ? "an error without text" : new String(message, StandardCharsets.UTF_8));
            }
            case '*', '~' -> list(length(), depth);
            case '%' -> list(twice(length()), depth);
            case '>' -> {
                list(length(), depth);
                yield Skipped.PUSH;
            }
            case '|' -> {
                list(twice(length()), depth);
                yield value(depth + 1);
            }
            default -> throw new JedisConnectionException("not a Redis reply: it begins with byte " + type);
        };
    }

    private @Nullable List<@Nullable Object> list(int length, int depth) {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>(Math.min(length, 1024));
        for (int i = 0; i < length; i++) {
            list.add(value(depth + 1));
        }
        return list;
    }

    private byte @Nullable [] bulk(int length) {
        if (length < 0) {
            return null;
        }
        count(length);
        byte[] bulk = new byte[length];
        for (int read = 0; read < length; ) {
            int more = in.read(bulk, read, length - read);
            if (more < 0) {
                throw new JedisConnectionException("the connection ended inside a reply");
            }
            read += more;
        }
        in.readByte();
        in.readByte();
        return bulk;
    }

    private int length() {
        long length = number(line());
        if (length > BYTE_LIMIT) {
            throw new JedisConnectionException("a reply is larger than " + (BYTE_LIMIT >> 20) + " MiB");
        }
        return (int) length;
    }

    private static int twice(int length) {
        return length < 0 ? length : 2 * length;
    }

    private static Long number(byte[] text) {
        try {
            return Long.valueOf(new String(text, StandardCharsets.US_ASCII));
        } catch (NumberFormatException e) {
            throw new JedisConnectionException("not a Redis reply: a number was expected");
        }
    }

    private byte[] line() {
        byte[] line = new byte[64];
        int length = 0;
        for (byte b = in.readByte(); b != '\r'; b = in.readByte()) {
            if (length == LINE_LIMIT) {
                throw new JedisConnectionException("a reply has a line of more than " + LINE_LIMIT + " bytes");
            }
            if (length == line.length) {
                line = java.util.Arrays.copyOf(line, 2 * length);
            }
            line[length++] = b;
        }
        in.readByte();
        count(length);
        return java.util.Arrays.copyOf(line, Math.max(length, 0));
    }

    private void count(int more) {
        bytes += more;
        if (bytes > BYTE_LIMIT) {
            throw new JedisConnectionException("a reply is larger than " + (BYTE_LIMIT >> 20) + " MiB");
        }
    }
}
