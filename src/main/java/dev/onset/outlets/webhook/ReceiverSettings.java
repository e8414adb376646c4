package dev.onset.outlets.webhook;

import dev.onset.rules.Severity;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What every receiver has, whatever its type.
 *
 * @param index its place in {@code onset.receivers}
 * @param name unique; shown on the page and in metrics
 * @param type which kind of receiver
 * @param lang language of its messages; {@code en} by default
 * @param minSeverity nothing less serious is sent; {@code S3} by default
 */
public record ReceiverSettings(int index, String name, String type, Language lang, Severity minSeverity) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,39}");

    static ReceiverSettings of(
            int index, @Nullable String name, String type, @Nullable String lang, @Nullable String minSeverity) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("onset.receivers[" + index + "].name: "
                    + (name == null ? "missing" : "'" + name + "'")
                    + "; allowed are 1 to 40 letters, digits, dots, dashes and underscores");
        }
        return new ReceiverSettings(
                index,
                name,
                type,
                choice(index, "lang", lang, Language.EN),
                choice(index, "min-severity", minSeverity, Severity.S3));
    }

    /** The full name of a setting of this receiver, for messages about it. */
    public String key(String setting) {
        return "onset.receivers[" + index + "]." + setting;
    }

    private static <E extends Enum<E>> E choice(int index, String key, @Nullable String value, E otherwise) {
        if (value == null) {
            return otherwise;
        }
        return Arrays.stream(otherwise.getDeclaringClass().getEnumConstants())
                .filter(constant -> constant.name().equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("onset.receivers[" + index + "]." + key + ": '" + value
                        + "' is not one of "
                        + Arrays.toString(otherwise.getDeclaringClass().getEnumConstants())));
    }
}
