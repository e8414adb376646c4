package dev.onset.rules;

import java.util.Locale;

/** Numbers as people read them: three significant digits and a unit. */
public final class Say {
    private Say() {}

    public static String percent(double share) {
        double percent = share * 100;
        return Double.isFinite(share) ? number(percent) + " %" : "–";
    }

    public static String rate(double bytesPerSecond) {
        return Double.isFinite(bytesPerSecond) ? bytes(bytesPerSecond) + "/s" : "–";
    }

    public static String bytes(double bytes) {
        if (!Double.isFinite(bytes)) {
            return "–";
        }
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
        double value = bytes;
        int unit = 0;
        while (Math.abs(value) >= 1000 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return number(value) + " " + units[unit];
    }

    public static String duration(double seconds) {
        if (!Double.isFinite(seconds)) {
            return "–";
        }
        double size = Math.abs(seconds);
        if (size == 0) {
            return "0 s";
        }
        if (size < 1e-3) {
            return number(seconds * 1e6) + " µs";
        }
        if (size < 1) {
            return number(seconds * 1e3) + " ms";
        }
        return size < 120 ? number(seconds) + " s" : number(seconds / 60) + " min";
    }

    public static String perSecond(double rate) {
        return Double.isFinite(rate) ? number(rate) + "/s" : "–";
    }

    public static String times(double factor) {
        return Double.isNaN(factor) || Double.isInfinite(factor) ? "–" : number(factor) + "×";
    }

    /** Three significant digits, thousands without exponent. */
    public static String number(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        double size = Math.abs(value);
        if (size >= 100) {
            return fixed(value, 0);
        }
        if (size >= 10) {
            return trimmed(fixed(value, 1));
        }
        return size < 0.005 ? size == 0 ? "0" : String.format(Locale.ROOT, "%.1g", value) : trimmed(fixed(value, 2));
    }

    /** What {@code %.1f} and its like give, without their cost: rules say a hundred thousand numbers at each tick. */
    private static String fixed(double value, int digits) {
        long unit = digits == 0 ? 1 : digits == 1 ? 10 : 100;
        double scaled = Math.abs(value) * unit;
        long whole = (long) scaled;
        double rest = scaled - whole;
        if (!(scaled < 1e9) || Math.abs(rest - 0.5) < 1e-5) {
            // Halves are rounded by their decimal digits.
            return String.format(Locale.ROOT, "%." + digits + "f", value);
        }
        long rounded = rest > 0.5 ? whole + 1 : whole;
        String sign = value < 0 ? "-" : "";
        if (digits == 0) {
            return sign + rounded;
        }
        long fraction = rounded % unit;
        return sign + rounded / unit + (digits == 2 && fraction < 10 ? ".0" : ".") + fraction;
    }

    private static String trimmed(String digits) {
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return digits.substring(0, digits.charAt(end - 1) == '.' ? end - 1 : end);
    }
}
