package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** The host has no memory left to keep pages: what was read a minute ago goes through FUSE and the cache disk again. */
final class PageCachePressure implements Rule {
    private static final String ID = "page-cache-pressure";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound HITS = new Bound(ID, "read-from-the-cache-disk", 50 << 20, Unit.BYTES_PER_SECOND);
    private static final Bound AVAILABLE = new Bound(ID, "memory-available", 0.10, Unit.RATIO);
    private static final Bound PRESSURE = new Bound(ID, "waiting-for-memory", 0.05, Unit.RATIO);
    private static final Bound FITS = new Bound(ID, "cached-share-of-memory", 0.80, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The page cache is too small", "页缓存不足"),
            ScopeKind.HOST,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.MEMORY_AVAILABLE, Signal.MEMORY_TOTAL, Signal.MEMORY_PRESSURE));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, HITS, AVAILABLE, PRESSURE, FITS);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        int from = Math.max(0, lately.from());
        Checks checks = new Checks();
        double total = window.series(Signal.MEMORY_TOTAL).latest();
        double available = lately.most(Signal.MEMORY_AVAILABLE) / total;
        double pressure = lately.median(Signal.MEMORY_PRESSURE);
        double hits = sum(window, Signal.HIT_BYTES, from);
        double cached = sum(window, Signal.CACHED_BYTES, from);
        boolean little = checks.add(
                new Text("memory available in each of the last steps", "最近每一步可用内存"),
                Say.percent(available),
                "< " + Say.percent(window.bound(AVAILABLE)),
                lately.watched(Signal.MEMORY_AVAILABLE) && available < window.bound(AVAILABLE));
        boolean waits = checks.atLeast(
                new Text("time in which something waits for memory", "等待内存的时间比例"),
                pressure,
                window.bound(PRESSURE),
                Say::percent);
        boolean reads =
                checks.atLeast(new Text("read from the cache disk", "从缓存盘读取"), hits, window.floor(HITS), Say::rate);
        // Much more than fits into memory is read from the disk whatever is free.
        boolean fits = checks.below(
                new Text("what the caches hold, as a share of the memory", "缓存内容占内存的比例"),
                cached / total,
                window.bound(FITS),
                Say::percent);
        if (!(little && waits && reads && fits)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.likely(new Text(
                        "That these pages would have stayed in memory is concluded from their size.",
                        "“这些页本可留在内存”由其大小推断。")),
                format(
                        "%1$s of the memory are available and programs wait for it %2$s of the time, while %3$s come from the cache"
                                + " disk.",
                        "可用内存 %1$s，%2$s 的时间有程序在等内存，同时从缓存盘读取 %3$s。",
                        Say.percent(available),
                        Say.percent(pressure),
                        Say.rate(hits)),
                List.of(
                        lately.lowLane(Signal.MEMORY_AVAILABLE),
                        lately.lane(Signal.MEMORY_PRESSURE),
                        lately.lane(Signal.HIT_BYTES)),
                List.of(),
                List.of(new Reason(
                        new Text("limits of containers", "容器内存限制"),
                        new Text("pages count for the container that read them; not read here", "页缓存计入读取它的容器；此处不读取"))),
                remedies(hits),
                checks));
    }

    private static double sum(Window window, Signal signal, int from) {
        double sum = 0;
        for (Scope mount : window.connected(ScopeKind.MOUNT)) {
            double value = window.series(mount, signal, "").median(from, window.size());
            sum += Double.isNaN(value) ? 0 : value;
        }
        return sum;
    }

    private static List<Remedy> remedies(double hits) {
        Text verify = new Text("half as much is read through FUSE for the same samples", "同样样本经 FUSE 的读取减半");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Let loader workers take less memory, or raise the container's limit.", "减少加载进程内存，或调高容器上限。"),
                "",
                format("up to %1$s come from memory instead", "最多 %1$s 改由内存提供", Say.rate(hits)),
                new Text("fewer workers may decode more slowly", "进程减少可能使解码变慢"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not drop caches on a schedule: it throws away what is missing here.",
                "不要定时 drop caches：丢掉的正是这里缺的。")));
        return remedies;
    }
}
