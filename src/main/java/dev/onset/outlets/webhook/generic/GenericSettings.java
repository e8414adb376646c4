package dev.onset.outlets.webhook.generic;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * @param url where to post
 * @param urlFile a file that holds the URL, instead of {@code url}
 * @param tokenFile a file that holds a bearer token; none by default
 */
public record GenericSettings(
        @Nullable String url,
        @Nullable Path urlFile,
        @Nullable Path tokenFile) {
    @Override
    public String toString() {
        return "GenericSettings[urlFile=" + urlFile + ", tokenFile=" + tokenFile + "]";
    }
}
