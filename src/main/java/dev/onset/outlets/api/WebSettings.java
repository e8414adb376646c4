package dev.onset.outlets.api;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may see the page and the API.
 *
 * @param open serve everyone without credentials although the service listens on more than loopback
 * @param usersFile a file with {@code basic_auth_users}: user names and bcrypt hashes, in the format of Prometheus'
 *     web configuration
 * @param tokensFile a file with one bearer token a line; lines that start with # are comments
 * @param hosts further names under which browsers may reach a service that listens on loopback without credentials,
 *     for instance behind a proxy
 */
@ConfigurationProperties("onset.web")
public record WebSettings(
        @DefaultValue("false") boolean open,
        @Nullable Path usersFile,
        @Nullable Path tokensFile,
        @DefaultValue List<String> hosts) {
    public WebSettings {
        hosts = List.copyOf(hosts);
    }

    boolean hasCredentials() {
        return usersFile != null || tokensFile != null;
    }
}
