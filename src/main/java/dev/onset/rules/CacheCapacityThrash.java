package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** What a node reads is larger than its cache: each block that comes in pushes one out that will be wanted again. */
final class CacheCapacityThrash implements Rule {
    private static final String ID = "cache-capacity-thrash";
    private static final Bound STEPS = new Bound(ID, "steps", 80, Unit.COUNT);
    private static final Bound EVICTED = new Bound(ID, "evicted-blocks", 1, Unit.PER_SECOND);
    private static final Bound FULL = new Bound(ID, "full", 0.90, Unit.RATIO);
    private static final Bound MISSED = new Bound(ID, "miss-ratio", 0.10, Unit.RATIO);
    private static final Bound FILLED = new Bound(ID, "filled-share-of-misses", 0.30, Unit.RATIO);
    private static final Bound MAKES_ROOM = new Bound(ID, "evicted-share-of-filled", 0.50, Unit.RATIO);
    private static final Bound COLD = new Bound(ID, "cold-share", 0.10, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The cache is too small for what is read", "缓存装不下读取的数据"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.CACHE_EVICTS, Signal.CACHED_BYTES, Signal.MISS_BYTES, Signal.HIT_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, EVICTED, FULL, MISSED, FILLED, MAKES_ROOM, COLD);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        if (!facts.configKnown()) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double evicted = lately.median(Signal.CACHE_EVICTS);
        double cached = lately.least(Signal.CACHED_BYTES);
        double blocks = window.series(Signal.CACHED_BLOCKS).latest();
        double missed = lately.mean(Signal.MISS_BYTES);
        double ratio = missed / (missed + lately.mean(Signal.HIT_BYTES));
        double filled = lately.mean(Signal.CACHE_FILL);
        double madeRoom = lately.mean(Signal.CACHE_EVICTS)
                * window.series(Signal.CACHED_BYTES).latest()
                / blocks;
        boolean watched = checks.add(
                new Text("watched for long enough", "观察时间足够"),
                window.size() + "",
                "≥ " + window.steps(STEPS),
                lately.watched(Signal.CACHE_EVICTS));
        boolean warm = checks.below(
                new Text("share of steps in a first pass over the data", "首轮读取（冷缓存）所占步数"),
                lately.maskedShare(Mask.COLD),
                window.bound(COLD),
                Say::percent);
        boolean evicts = checks.atLeast(
                new Text("blocks evicted, median", "淘汰块数（中位）"), evicted, window.floor(EVICTED), Say::perSecond);
        boolean full = checks.atLeast(
                new Text("share of its limit that is used all the time", "始终占用上限的比例"),
                cached / facts.cacheBytes(),
                window.bound(FULL),
                Say::percent);
        boolean misses = checks.atLeast(new Text("miss ratio", "未命中率"), ratio, window.bound(MISSED), Say::percent);
        boolean fills = checks.atLeast(
                new Text("share of the missed bytes that enters the cache", "未命中字节写入缓存的比例"),
                filled / missed,
                window.bound(FILLED),
                Say::percent);
        boolean follows = checks.atLeast(
                new Text("bytes evicted for each byte that enters", "每写入一字节所淘汰的字节"),
                madeRoom / filled,
                window.bound(MAKES_ROOM),
                Say::percent);
        if (!(watched && warm && evicts && full && misses && fills && follows)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "The cache (%1$s) has been full for %2$s: %3$s blocks are evicted, as many bytes come in as go out,"
                                + " and %4$s of the reads miss.",
                        "缓存（%1$s）已满 %2$s：每秒淘汰 %3$s 块，进多少出多少，%4$s 的读取未命中。",
                        Say.bytes(facts.cacheBytes()),
                        Say.duration(
                                (window.size() - lately.from()) * window.axis().stepMillis() / 1e3),
                        Say.perSecond(evicted),
                        Say.percent(ratio)),
                List.of(
                        lately.lane(Signal.CACHE_EVICTS),
                        lately.lane(Signal.MISS_RATIO),
                        lately.lane(Signal.CACHED_BYTES),
                        lately.lane(Signal.CACHE_FILL)),
                List.of(
                        new Reason(
                                new Text("first epoch on a cold cache", "冷缓存的首轮"),
                                format(
                                        "it was full all the time, %1$s at least",
                                        "缓存始终是满的，至少 %1$s", Say.percent(cached / facts.cacheBytes()))),
                        new Reason(
                                new Text("expiry of old blocks", "旧块到期"),
                                new Text("expiry would leave it emptier than its limit", "到期会让占用低于上限"))),
                List.of(new Reason(
                        new Text("how much a node reads in an epoch", "单节点一轮读取的总量"),
                        new Text("the hit ratio is taken for it: all blocks read equally often", "以命中率推算：假定各块读取频率相同"))),
                remedies(facts, cached, missed, ratio),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double cached, double missed, double ratio) {
        Text verify = new Text("next to nothing is evicted and under 2 % of the reads miss", "几乎不再淘汰，未命中低于 2 %");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(CacheRemedies.size(facts, cached, missed * STEPS.usual() * 15, ratio, verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "If the disk has no more room: keep what is cached instead of replacing it.",
                        "若磁盘没有更多空间：保留已缓存内容而不替换。"),
                facts.remount("--cache-eviction none"),
                format(
                        "hits stay near %1$s instead of decaying, and writes to the cache disk stop",
                        "命中率稳定在约 %1$s，缓存盘写入停止", Say.percent(1 - ratio)),
                new Text(
                        "what is cached first stays; blocks of another data set then never enter",
                        "先缓存者常驻；其他数据集的块将无法进入"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Read the same shard on the same node in every epoch.", "每轮让同一节点读取同一分片。"),
                "",
                format(
                        "the working set shrinks to the node's shard; misses %1$s → near 0",
                        "工作集缩小为本节点分片；未命中 %1$s → 接近 0", Say.percent(ratio)),
                new Text("less shuffling between nodes", "节点间打乱程度降低"),
                verify));
        remedies.add(CacheRemedies.NO_PREFETCH);
        return remedies;
    }
}
