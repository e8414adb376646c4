package dev.onset.outlets.webhook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** A value that never prints: given in the settings, or better in a file of its own. */
public final class Secret {
    private static final int LONGEST = 8192;

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /**
     * @param key the setting; {@code key-file} names the file
     * @throws IllegalArgumentException when both are given or the file cannot be read
     */
    public static Optional<Secret> of(String key, @Nullable String value, @Nullable Path file) {
        if (value != null && file != null) {
            throw new IllegalArgumentException(key + ": give either " + key + " or " + key + "-file, not both");
        }
        if (file != null) {
            return Optional.of(new Secret(read(key + "-file", file)));
        }
        return Optional.ofNullable(value).map(String::strip).map(Secret::new);
    }

    /** The webhook's address, which is itself the secret. */
    public static HttpUrl url(ReceiverSettings common, @Nullable String url, @Nullable Path file) {
        String key = common.key("url");
        Secret secret = of(key, url, file)
                .orElseThrow(
                        () -> new IllegalArgumentException(key + ": missing; give " + key + " or " + key + "-file"));
        HttpUrl parsed = HttpUrl.parse(secret.value);
        if (parsed == null) {
            // The value stays out of the message: most of it may be right, and then it is a secret.
            throw new IllegalArgumentException(key + ": is not an http:// or https:// address");
        }
        return parsed;
    }

    public String value() {
        return value;
    }

    @Override
    public String toString() {
        return "***";
    }

    private static String read(String key, Path file) {
        try {
            if (Files.size(file) > LONGEST) {
                throw new IllegalArgumentException(key + ": " + file + " is larger than " + LONGEST + " bytes");
            }
            String text = Files.readString(file).strip();
            if (text.isEmpty()) {
                throw new IllegalArgumentException(key + ": " + file + " is empty");
            }
            return text;
        } catch (IOException e) {
            throw new IllegalArgumentException(key + ": cannot read " + file + " (" + e + ")", e);
        }
    }
}
