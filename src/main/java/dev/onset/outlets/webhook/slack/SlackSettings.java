package dev.onset.outlets.webhook.slack;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * @param url the incoming webhook's URL
 * @param urlFile a file that holds the URL, instead of {@code url}
 */
public record SlackSettings(@Nullable String url, @Nullable Path urlFile) {
    @Override
    public String toString() {
        return "SlackSettings[urlFile=" + urlFile + "]";
    }
}
