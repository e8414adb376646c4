package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** A hit costs as much as a miss, because the cache lies on a disk that is no faster than the store. */
final class CacheDiskSlow implements Rule {
    private static final String ID = "cache-disk-slow-or-unstable";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound HITS = new Bound(ID, "hits", 20, Unit.PER_SECOND);
    private static final Bound NO_BETTER = new Bound(ID, "share-of-a-download", 0.70, Unit.RATIO);
    private static final Bound SLOW = new Bound(ID, "slow-hit", 0.020, Unit.SECONDS);
    private static final Bound AGREES = new Bound(ID, "share-seen-by-the-device", 0.50, Unit.RATIO);
    /** Above the time of a memory read: below it nothing is worth comparing. */
    private static final Bound NOTICEABLE = new Bound(ID, "noticeable-hit", 0.002, Unit.SECONDS);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The cache disk is slow", "缓存盘过慢"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.HITS, Signal.CACHE_READS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, HITS, NO_BETTER, SLOW, AGREES, NOTICEABLE);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double hit = lately.mean(Signal.CACHE_READ_SECONDS) / lately.mean(Signal.CACHE_READS);
        double download = lately.median(Signal.GET_LATENCY);
        CacheDisk disk = CacheDisk.of(window, lately.from(), window.size(), Double.MAX_VALUE)
                .orElse(null);
        double device = disk == null
                ? Double.NaN
                : window.series(Signal.DISK_READ_LATENCY, disk.device()).median(lately.from(), window.size());
        boolean used = checks.add(
                new Text("read from the cache in each of the last steps", "最近每一步都从缓存读取"),
                Say.perSecond(lately.least(Signal.HITS)),
                "≥ " + Say.perSecond(window.floor(HITS)),
                lately.watched(Signal.HITS) && lately.least(Signal.HITS) >= window.floor(HITS));
        boolean noticeable =
                checks.atLeast(new Text("a hit takes", "一次命中耗时"), hit, window.bound(NOTICEABLE), Say::duration);
        boolean noBetter = checks.atLeast(
                new Text("time of a hit as a share of a download", "命中耗时占下载耗时的比例"),
                hit / download,
                window.bound(NO_BETTER),
                Say::percent);
        boolean slow =
                checks.atLeast(new Text("a hit takes very long", "一次命中耗时很长"), hit, window.bound(SLOW), Say::duration);
        // A client without CPU also reads its cache slowly, but then the device does not.
        boolean agrees = checks.add(
                new Text("the device is as slow", "设备同样慢"),
                Say.duration(device),
                "≥ " + Say.duration(window.bound(AGREES) * hit),
                device >= window.bound(AGREES) * hit);
        boolean contradicted = device < window.bound(AGREES) * hit;
        if (!(used && noticeable && !contradicted && (noBetter || (slow && agrees)))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S2,
                agrees
                        ? Doubt.NONE
                        : Doubt.likely(new Text(
                                "The device itself is not seen: a client without CPU reads its cache slowly too.",
                                "看不到设备本身：CPU 不足的客户端读缓存也会慢。")),
                format(
                        "A block from the cache takes %1$s, one from the object store %2$s: the cache disk gives no advantage.",
                        "从缓存读一块 %1$s，从对象存储 %2$s：缓存盘没有优势。", Say.duration(hit), Say.duration(download)),
                lanes(window, lately, disk),
                List.of(),
                disk == null
                        ? Sentences.nodeUnknown(window)
                                .map(List::of)
                                .orElse(List.of(new Reason(
                                        new Text("which device the cache is on", "缓存在哪块设备上"),
                                        new Text("its folder is not known", "缓存目录未知"))))
                        : List.of(),
                remedies(new MountFacts(window), hit),
                checks));
    }

    private static List<Lane> lanes(Window window, Lately lately, @org.jspecify.annotations.Nullable CacheDisk disk) {
        List<Lane> lanes = new ArrayList<>();
        lanes.add(lately.lane(Signal.CACHE_READ_LATENCY));
        lanes.add(lately.lane(Signal.GET_LATENCY));
        if (disk != null) {
            lanes.add(Evidence.rise(
                    window.series(Signal.DISK_READ_LATENCY, disk.device()), Math.max(0, lately.from()), window.size()));
            lanes.add(Evidence.rise(
                    window.series(Signal.DISK_QUEUE, disk.device()), Math.max(0, lately.from()), window.size()));
        }
        lanes.add(lately.lane(Signal.HITS));
        return lanes;
    }

    private static List<Remedy> remedies(MountFacts facts, double hit) {
        Text verify = new Text("a hit takes less than 2 ms", "一次命中低于 2 ms");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Put the cache on a local NVMe disk of its own.", "把缓存放到独占的本地 NVMe 盘。"),
                facts.remount("--cache-dir /nvme0/jfs"),
                format("a hit %1$s → under 2 ms", "命中 %1$s → 低于 2 ms", Say.duration(hit)),
                new Text("the new folder begins empty: warm it", "新目录从空开始：请预热"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Look at the disk: its wear, its errors, and the limit a cloud disk is held to.",
                        "检查磁盘：寿命、错误，以及云盘的性能上限。"),
                "",
                new Text("a throttled or failing disk explains all of it", "被限速或将坏的盘即可解释全部"),
                new Text("none for the job", "对任务没有影响"),
                verify));
        if (facts.mayHave(1, 0)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "If the store is faster than the disk for whole blocks: cache only what is read in parts.",
                            "若整块读取对象存储更快：只缓存部分读取的块。"),
                    facts.remount("--cache-partial-only"),
                    new Text("whole blocks come from the store at its own speed", "整块直接来自对象存储"),
                    new Text("more requests to the store in every epoch", "每轮对对象存储的请求增加"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not put the cache of a mount with --writeback on NFS or SMB: staged data is safe only on a local disk.",
                "启用 --writeback 的挂载不要把缓存放在 NFS 或 SMB 上：暂存数据只有在本地盘才安全。")));
        return remedies;
    }
}
