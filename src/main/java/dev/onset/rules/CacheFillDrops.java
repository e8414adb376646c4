package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** Blocks come from the store faster than the cache disk takes them: they are dropped, and missed again next epoch. */
final class CacheFillDrops implements Rule {
    private static final String ID = "cache-fill-drops";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound DROPPED = new Bound(ID, "dropped-blocks", 1, Unit.PER_SECOND);
    private static final Bound SHARE = new Bound(ID, "dropped-share-of-downloads", 0.05, Unit.RATIO);
    /** What the queue is enlarged to; it holds a fifth of the buffer. */
    private static final double BUFFER_MIB = 1024;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Downloaded blocks are not cached", "下载的块未写入缓存"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.CACHE_DROPS, Signal.GETS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, DROPPED, SHARE);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        if (!facts.configKnown()) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double dropped = lately.least(Signal.CACHE_DROPS);
        double share = lately.mean(Signal.CACHE_DROPS) / lately.mean(Signal.GETS);
        String eviction = facts.text(Facts.CACHE_EVICTION);
        boolean lasts = checks.add(
                new Text("dropped in each of the last steps", "最近每一步都有丢弃"),
                Say.perSecond(dropped),
                "≥ " + Say.perSecond(window.floor(DROPPED)),
                lately.watched(Signal.CACHE_DROPS) && dropped >= window.floor(DROPPED));
        boolean many =
                checks.atLeast(new Text("share of the downloads", "占下载的比例"), share, window.bound(SHARE), Say::percent);
        boolean evicting = checks.add(
                new Text("a full cache would make room", "缓存满时会腾出空间"),
                eviction,
                "≠ none",
                !eviction.equalsIgnoreCase("none"));
        if (!(lasts && many && evicting)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s blocks are downloaded but not cached (%2$s of the downloads): the cache disk does not keep up,"
                                + " and the next epoch misses them again.",
                        "每秒 %1$s 块下载后未写入缓存（占下载 %2$s）：缓存盘跟不上，下一轮会再次未命中。",
                        Say.perSecond(lately.mean(Signal.CACHE_DROPS)),
                        Say.percent(share)),
                List.of(
                        lately.lane(Signal.CACHE_DROPS),
                        lately.lane(Signal.GETS),
                        lately.lane(Signal.CACHE_FILL),
                        lately.lane(Signal.CACHE_WRITE_LATENCY)),
                List.of(new Reason(
                        new Text("one burst when the job starts", "任务启动时的一次突发"),
                        format("dropped in each of the last %1$d steps", "最近 %1$d 步每步都有丢弃", window.steps(STEPS)))),
                Sentences.nodeUnknown(window).map(List::of).orElse(List.of()),
                remedies(facts),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts) {
        Text verify = new Text("less than 0.5 % of the downloads are dropped", "丢弃低于下载的 0.5 %");
        double buffer = facts.setting(Facts.BUFFER_SIZE_BYTES);
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Warm the data set before the run with few threads: a warm-up waits instead of dropping.",
                        "训练前用较少线程预热：预热会等待而不是丢弃。"),
                "juicefs warmup -p 10 " + facts.path(),
                new Text("drops → 0 while warming; the epoch then hits", "预热期间丢弃 → 0，随后一轮命中"),
                new Text("loads the store and the cache disk while it runs", "运行时给对象存储与缓存盘加压"),
                verify));
        if (!(buffer >= BUFFER_MIB * (1 << 20))) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    format(
                            "Give the queue in front of the disk more room%1$s.",
                            "加大写缓存队列%1$s。", Double.isNaN(buffer) ? "" : " (--buffer-size " + Say.bytes(buffer) + ")"),
                    facts.remount("--buffer-size " + Say.number(BUFFER_MIB)),
                    new Text(
                            "bursts of up to 200 MiB are cached; no help if the disk is slower all the time",
                            "可吸收约 200 MiB 的突发；若磁盘一直更慢则无济于事"),
                    new Text("memory grows by up to twice the new size", "内存最多增加新值的两倍"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Use a faster disk, or several: each cache folder has a writer of its own.",
                        "换更快的盘或多块盘：每个缓存目录各有一个写线程。"),
                facts.remount("--cache-dir /nvme0/jfs:/nvme1/jfs"),
                new Text("what the cache takes grows with the disks", "缓存写入能力随磁盘数增长"),
                new Text("the cache begins empty in new folders", "新目录的缓存从空开始"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not enlarge the cache for this: there is room, the disk is too slow to use it.",
                "不要为此加大缓存：空间够，是磁盘来不及写。")));
        return remedies;
    }
}
