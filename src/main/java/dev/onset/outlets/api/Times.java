package dev.onset.outlets.api;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Instants as the API writes them: RFC 3339 in UTC, always with milliseconds. */
final class Times {
    private static final DateTimeFormatter RFC_3339 = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Times() {}

    static String at(long millis) {
        return RFC_3339.format(Instant.ofEpochMilli(millis));
    }

    /** Null for an instant that has not come: 0 or null. */
    static @Nullable String atOrNull(@Nullable Long millis) {
        return millis == null || millis == 0 ? null : at(millis);
    }
}
