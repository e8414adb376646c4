package dev.onset.rules;

import dev.onset.signals.Facts;
import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Version;
import dev.onset.timeline.Window;
import java.util.Locale;

/** What is known about the mount that a remedy is for: its path, version and the options in force. */
final class MountFacts {
    private final Window window;
    private final Scope mount;

    MountFacts(Window window) {
        this.window = window;
        mount = window.scope();
    }

    Version version() {
        return window.version(mount);
    }

    /** At least this version, or unknown: then the remedy says which version it needs. */
    boolean mayHave(int major, int minor) {
        return !version().known() || version().atLeast(major, minor);
    }

    String path() {
        Identity identity = window.mount(mount);
        return identity == null || identity.mountPoint() == null ? "MOUNTPOINT" : quoted(identity.mountPoint());
    }

    /** The metadata URL without credentials where it is known; otherwise a name to fill in. */
    String metaUrl() {
        String url = window.fact(window.first(ScopeKind.REDIS), Facts.META_URL);
        return url == null ? "META-URL" : quoted(url);
    }

    double cacheBytes() {
        return window.number(mount, Facts.CACHE_SIZE_BYTES);
    }

    double setting(String key) {
        return window.number(mount, key);
    }

    /** A setting in words; "–" where it is unknown. */
    String text(String key) {
        String fact = window.fact(mount, key);
        return fact == null ? "–" : fact;
    }

    String cacheFolder() {
        String folder = window.fact(mount, Facts.CACHE_DIR);
        return folder == null ? "CACHE-DIR" : quoted(folder);
    }

    /** Mounts again with more options: the others stay as they are, and must be given too. */
    String remount(String options) {
        return "juicefs umount " + path() + " && juicefs mount -d " + (options.isEmpty() ? "" : options + " ")
                + metaUrl() + " " + path();
    }

    boolean known(String key) {
        return window.fact(mount, key) != null;
    }

    boolean isSet(String key) {
        String fact = window.fact(mount, key);
        return fact != null && !fact.isEmpty() && !fact.equals("0") && !fact.equalsIgnoreCase("false");
    }

    boolean configKnown() {
        return known(Facts.CACHE_SIZE_BYTES);
    }

    /** Mount points come from labels: what is pasted into a shell is quoted unless it is plainly harmless. */
    static String quoted(String text) {
        return text.matches("[A-Za-z0-9_./:@%+=,-]{1,200}")
                ? text
                : "'" + text.replace("'", "'\\''").replaceAll("\\p{Cntrl}", "?") + "'";
    }

    static String mebibytes(double bytes) {
        return String.format(Locale.ROOT, "%.0f", Math.ceil(bytes / (1 << 20)));
    }
}
