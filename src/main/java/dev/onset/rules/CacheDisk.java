package dev.onset.rules;

import dev.onset.signals.Facts;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The device under a mount's cache directory.
 *
 * @param device its name as the node exporter writes it
 * @param stated known from the mount's options; otherwise it is the one device that fills up with the staging writes
 */
record CacheDisk(String device, boolean stated) {
    private static final double QUEUE_RISE = 3;

    /** From the options where they are known; otherwise the busiest device that takes a share of {@code written}. */
    static Optional<CacheDisk> of(Window window, int start, int end, double writtenBytesPerSecond) {
        Optional<CacheDisk> stated = stated(window);
        return stated.isPresent() ? stated : inferred(window, start, end, writtenBytesPerSecond);
    }

    private static Optional<CacheDisk> stated(Window window) {
        String root = fileSystem(window);
        Scope host = window.first(ScopeKind.HOST);
        if (root == null || host == null) {
            return Optional.empty();
        }
        String name = disk(window.facts(host, Facts.DEVICE_OF).getOrDefault(root, ""));
        return window.parts(Signal.DISK_QUEUE).contains(name)
                ? Optional.of(new CacheDisk(name, true))
                : Optional.empty();
    }

    /** The mount point of the file system that holds the cache folder; null where it is not known. */
    static @Nullable String fileSystem(Window window) {
        String folder = window.fact(Facts.CACHE_DIR);
        Scope host = window.first(ScopeKind.HOST);
        if (folder == null || host == null) {
            return null;
        }
        String best = null;
        for (String root : window.facts(host, Facts.DEVICE_OF).keySet()) {
            boolean holds = folder.equals(root) || folder.startsWith(root.endsWith("/") ? root : root + "/");
            if (holds && (best == null || root.length() > best.length())) {
                best = root;
            }
        }
        return best;
    }

    /** {@code /dev/nvme0n1p1} and {@code /dev/sda1} lie on {@code nvme0n1} and {@code sda}. */
    private static String disk(String device) {
        String name = device.substring(device.lastIndexOf('/') + 1);
        return name.matches("(nvme|mmcblk).*p\\d+")
                ? name.replaceFirst("p\\d+$", "")
                : name.matches("[shv]d[a-z]+\\d+") ? name.replaceFirst("\\d+$", "") : name;
    }

    private static Optional<CacheDisk> inferred(Window window, int start, int end, double written) {
        String busiest = "";
        double most = 0;
        for (String device : window.parts(Signal.DISK_QUEUE)) {
            Series queue = window.series(Signal.DISK_QUEUE, device);
            double base = Evidence.before(queue, start);
            double peak = queue.max(start, end);
            double bytes = window.series(Signal.DISK_WRITE_BYTES, device).max(start, end);
            boolean takesIt = bytes >= 0.3 * written;
            if (takesIt && peak > most && peak >= QUEUE_RISE * (Double.isNaN(base) ? 0 : base)) {
                most = peak;
                busiest = device;
            }
        }
        return busiest.isEmpty() ? Optional.empty() : Optional.of(new CacheDisk(busiest, false));
    }
}
