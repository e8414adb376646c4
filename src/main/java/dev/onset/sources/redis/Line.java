package dev.onset.sources.redis;

import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

/** A connection to a Redis, logged in, whose replies are bounded and which can be cut from another thread. */
final class Line extends Connection {
    static final int CONNECT_LIMIT_MILLIS = 2000;

    private final Plug plug;

    private Line(Plug plug, JedisClientConfig config) {
        super(plug, config);
        this.plug = plug;
    }

    /**
     * Connects and logs in.
     *
     * @param readLimitMillis how long to wait for the next byte
     * @throws JedisConnectionException when nobody answers
     * @throws JedisDataException when the server refuses us
     * @throws IOException when our own secret cannot be read
     */
    static Line open(RedisSettings settings, int database, int readLimitMillis, Plug plug) throws IOException {
        return new Line(plug, plug.prepare(settings, database, readLimitMillis));
    }

    /** A server's words, fit to be shown: one line, and without the password, which a server that lacks AUTH repeats. */
    static String words(RedisSettings settings, @Nullable String text) {
        String line = String.valueOf(text).replaceAll("\\p{Cntrl}+", " ");
        try {
            String secret = settings.password();
            if (secret != null && !secret.isEmpty()) {
                line = line.replace(secret, "***");
            }
        } catch (IOException e) {
            // Then it cannot be in there.
        }
        return line.length() <= 300 ? line : line.substring(0, 300) + "…";
    }

    Plug plug() {
        return plug;
    }

    Socket socket() {
        Socket socket = plug.socket;
        if (socket == null) {
            throw new JedisConnectionException("not connected");
        }
        return socket;
    }

    /** The reply to one of the commands sent before, errors as values. */
    @Nullable
    Object next() {
        try {
            return getOne();
        } catch (JedisDataException refused) {
            return refused;
        }
    }

    @Override
    protected @Nullable Object protocolRead(RedisInputStream in, PushConsumerChain pushes) {
        return Replies.read(in);
    }

    @Override
    public void close() {
        plug.pull();
    }

    /** Holds the socket, so that a watchdog can close it even while the log-in is under way. */
    static final class Plug implements JedisSocketFactory {
        private @Nullable JedisSocketFactory sockets;
        private volatile @Nullable Socket socket;
        private volatile boolean pulled;

        JedisClientConfig prepare(RedisSettings settings, int database, int readLimitMillis) throws IOException {
            DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
                    .connectionTimeoutMillis(CONNECT_LIMIT_MILLIS)
                    .socketTimeoutMillis(readLimitMillis)
                    .user(settings.username())
                    .password(settings.password())
                    .database(database)
                    .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
            if (settings.tls()) {
                config.sslOptions(SslOptions.defaults());
            }
            // Saying HELLO without need would be one more command that a server may refuse.
            JedisClientConfig built = (settings.resp3() ? config.resp3() : config.serverDefaultProtocol()).build();
            sockets = new DefaultJedisSocketFactory(new HostAndPort(settings.host(), settings.port()), built);
            return built;
        }

        @Override
        public Socket createSocket() {
            JedisSocketFactory factory = sockets;
            if (factory == null || pulled) {
                throw new JedisConnectionException("cut");
            }
            Socket created = factory.createSocket();
            socket = created;
            if (pulled) {
                pull();
            }
            return created;
        }

        boolean pulled() {
            return pulled;
        }

        /** Ends the connection, whatever it is doing. */
        void pull() {
            pulled = true;
            Socket open = socket;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    // It is gone either way.
                }
            }
        }
    }
}
