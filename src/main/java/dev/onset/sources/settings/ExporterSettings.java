package dev.onset.sources.settings;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One exporter.
 *
 * @param address {@code host:port}, asked for {@code /metrics} over HTTP, or a full URL with another scheme or path
 * @param host name of the machine when the exporter's own labels do not tell it, or tell it wrongly
 * @param gzip whether to accept a compressed answer: saves network, costs the exporter CPU
 */
public record ExporterSettings(
        String address,
        @Nullable String host,
        @DefaultValue("false") boolean gzip) {
    private static final String ALLOWED = "; allowed are host:port and http(s)://host:port/path";

    public ExporterSettings {
        if (address == null || address.isBlank()) {
            throw new IllegalArgumentException("an exporter needs an address" + ALLOWED);
        }
        urlOf(address);
    }

    /** The short form: a plain address in the settings file. */
    public static ExporterSettings of(String address) {
        return new ExporterSettings(address, null, false);
    }

    /** Where it is asked. */
    public URI url() {
        return urlOf(address);
    }

    /** The name under which it is shown: host and port, and the path where it is not the usual one. */
    public String label() {
        URI url = url();
        String path = url.getRawPath();
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        return url.getRawAuthority() + (path.equals("/metrics") && query.isEmpty() ? "" : path + query);
    }

    private static URI urlOf(String address) {
        String full = address.contains("://") ? address : "http://" + address + "/metrics";
        URI url;
        try {
            url = URI.create(full);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + address + "\" is not an address" + ALLOWED, e);
        }
        if (url.getUserInfo() != null) {
            // The value itself must not be repeated: it holds a password.
            throw new IllegalArgumentException("an exporter's address holds no user or password" + ALLOWED);
        }
        boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
        if (!http || url.getHost() == null || url.getPort() == 0 || url.getPort() > 65535) {
            throw new IllegalArgumentException("\"" + address + "\" is not an address" + ALLOWED);
        }
        if (!address.contains("://") && (url.getPort() < 0 || !url.getRawPath().equals("/metrics"))) {
            throw new IllegalArgumentException("\"" + address + "\" has no port" + ALLOWED);
        }
        return url.getRawPath().isEmpty() ? url.resolve("/metrics") : url;
    }
}
