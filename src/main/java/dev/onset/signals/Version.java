package dev.onset.signals;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A release of JuiceFS or Redis, as far as it decides what exists.
 *
 * @param major first number; 0 when the version is unknown
 * @param minor second number
 */
public record Version(int major, int minor) {
    public static final Version UNKNOWN = new Version(0, 0);

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})");

    /** Reads {@code 1.4.2+2026-10-26.pypi} and the like; unknown when there are no two numbers. */
    public static Version of(@Nullable String reported) {
        if (reported == null) {
            return UNKNOWN;
        }
        Matcher numbers = NUMBERS.matcher(reported);
        return numbers.find()
                ? new Version(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)))
                : UNKNOWN;
    }

    public boolean known() {
        return major > 0;
    }

    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }

    @Override
    public String toString() {
        return known() ? major + "." + minor : "unknown";
    }
}
