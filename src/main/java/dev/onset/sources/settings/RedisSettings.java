package dev.onset.sources.settings;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One Redis server.
 *
 * @param url {@code redis://host:port/db}, or {@code rediss://} for TLS; the database is the one with JuiceFS metadata
 * @param username ACL user, Redis 6 and later
 * @param passwordFile file that holds the password and nothing else
 * @param passwordEnv environment variable that holds the password
 * @param discover whether to read the list of JuiceFS clients from the database and to ask those that are not configured
 */
public record RedisSettings(
        String url,
        @Nullable String username,
        @Nullable String passwordFile,
        @Nullable String passwordEnv,
        @DefaultValue("false") boolean discover) {
    private static final int PASSWORD_LIMIT = 4096;
    private static final String ALLOWED = "; allowed are redis://host:port/db and rediss://host:port/db";

    public RedisSettings {
        if (url == null || url.isBlank()) {
            throw new IllegalArgumentException("a redis needs a url" + ALLOWED);
        }
        parse(url);
        if (passwordFile != null && passwordEnv != null) {
            throw new IllegalArgumentException("password-file and password-env exclude each other");
        }
    }

    /** The short form: a plain URL in the settings file. */
    public static RedisSettings of(String url) {
        return new RedisSettings(url, null, null, null, false);
    }

    public String host() {
        String host = parse(url).getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    public int port() {
        int port = parse(url).getPort();
        return port < 0 ? 6379 : port;
    }

    /** The name under which it is shown. */
    public String address() {
        return parse(url).getHost() + ":" + port();
    }

    public boolean tls() {
        return "rediss".equals(parse(url).getScheme());
    }

    /** RESP3 where the URL says {@code ?protocol=3}; otherwise what the server speaks by itself. */
    public boolean resp3() {
        return "protocol=3".equals(parse(url).getQuery());
    }

    public int database() {
        String path = parse(url).getPath();
        return path.length() < 2 ? 0 : Integer.parseInt(path.substring(1));
    }

    /** Read anew for each connection, so that a rotated secret needs no restart. */
    public @Nullable String password() throws IOException {
        if (passwordEnv != null) {
            String value = System.getenv(passwordEnv);
            if (value == null) {
                throw new IOException("environment variable " + passwordEnv + " is not set");
            }
            return value;
        }
        if (passwordFile == null) {
            return null;
        }
        Path file = Path.of(passwordFile);
        if (Files.size(file) > PASSWORD_LIMIT) {
            throw new IOException(passwordFile + " is larger than a password");
        }
        return Files.readString(file, StandardCharsets.UTF_8).strip();
    }

    private static URI parse(String url) {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not a Redis URL" + ALLOWED, e);
        }
        if (uri.getRawUserInfo() != null
                || (uri.getRawAuthority() != null && uri.getRawAuthority().contains("@"))) {
            // The value itself must not be repeated: it holds a password.
            throw new IllegalArgumentException(
                    "a Redis URL holds no user or password here: use username and password-file or password-env");
        }
        boolean redis = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
        String query = uri.getQuery();
        if (!redis
                || uri.getHost() == null
                || uri.getPort() == 0
                || uri.getPort() > 65535
                || !uri.getPath().matches("|/|/[0-9]{1,4}")
                || !(query == null || query.equals("protocol=2") || query.equals("protocol=3"))) {
            throw new IllegalArgumentException("\"" + url + "\" is not a Redis URL" + ALLOWED);
        }
        return uri;
    }
}
