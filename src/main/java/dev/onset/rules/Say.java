package dev.onset.rules;

import java.util.Locale;

/** Numbers as people read them: three significant digits and a unit. */
public final class Say {
    private Say() {}

    public static String percent(double share) {
        double percent = share * 100;
        return Double.isNaN(share) ? "–" : number(percent) + " %";
    }

    public static String rate(double bytesPerSecond) {
        return Double.isNaN(bytesPerSecond) ? "–" : bytes(bytesPerSecond) + "/s";
    }

    public static String bytes(double bytes) {
        if (Double.isNaN(bytes)) {
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
        if (Double.isNaN(seconds)) {
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
        return Double.isNaN(rate) ? "–" : number(rate) + "/s";
    }

    public static String times(double factor) {
        return Double.isNaN(factor) || Double.isInfinite(factor) ? "–" : number(factor) + "×";
    }

    /** Three significant digits, thousands without exponent. */
    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= 10) {
            return trimmed(String.format(Locale.ROOT, "%.1f", value));
        }
        return size < 0.005
                ? size == 0 ? "0" : String.format(Locale.ROOT, "%.1g", value)
                : trimmed(String.format(Locale.ROOT, "%.2f", value));
    }

    private static String trimmed(String digits) {
        return digits.replaceFirst("0+$", "").replaceFirst("\\.$", "");
    }
}
