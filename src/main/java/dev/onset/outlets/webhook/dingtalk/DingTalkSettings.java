package dev.onset.outlets.webhook.dingtalk;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * @param url the robot's URL with its access token
 * @param urlFile a file that holds the URL, instead of {@code url}
 * @param secret the signing secret ("SEC…"), when the robot asks for signatures
 * @param secretFile a file that holds the secret, instead of {@code secret}
 * @param keyword added to every message, when the robot asks for a keyword
 */
public record DingTalkSettings(
        @Nullable String url,
        @Nullable Path urlFile,
        @Nullable String secret,
        @Nullable Path secretFile,
        @Nullable String keyword) {
    @Override
    public String toString() {
        return "DingTalkSettings[urlFile=" + urlFile + ", secretFile=" + secretFile + ", keyword=" + keyword + "]";
    }
}
