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

/** A bulk load through this mount filled its cache with what it wrote; what is read now has to push that out first. */
final class CachePollutedByImport implements Rule {
    private static final String ID = "cache-polluted-by-import";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound IMPORTED = new Bound(ID, "imported-share-of-the-cache", 0.30, Unit.RATIO);
    private static final Bound MISSED = new Bound(ID, "miss-ratio", 0.20, Unit.RATIO);
    private static final Bound FULL = new Bound(ID, "full", 0.90, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("An import filled the cache", "数据导入污染缓存"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.CACHED_BYTES, Signal.CACHE_EVICTS, Signal.MISS_BYTES, Signal.FUSE_WRITE_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, IMPORTED, MISSED, FULL);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        double limit = facts.cacheBytes();
        if (Double.isNaN(limit)) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        int end = endOfImport(window, lately.from());
        double imported = imported(window, end);
        double missed = lately.mean(Signal.MISS_BYTES);
        double ratio = missed / (missed + lately.mean(Signal.HIT_BYTES));
        double evicted = lately.least(Signal.CACHE_EVICTS);
        double cached = lately.least(Signal.CACHED_BYTES) / limit;
        boolean before = checks.add(
                new Text("an import was over before", "此前已有一次导入结束"),
                end < 0
                        ? "–"
                        : Say.duration((window.size() - end) * window.axis().stepMillis() / 1e3),
                "≥ " + window.steps(STEPS),
                end > 0 && end <= lately.from());
        boolean staged = checks.atLeast(
                new Text("it staged, as a share of the cache", "其暂存量占缓存的比例"),
                imported / limit,
                window.bound(IMPORTED),
                Say::percent);
        boolean misses =
                checks.atLeast(new Text("miss ratio since", "此后的未命中率"), ratio, window.bound(MISSED), Say::percent);
        boolean evicts = checks.add(
                new Text("evicted in each of the last steps", "最近每一步的淘汰"),
                Say.perSecond(evicted),
                "> 0",
                lately.watched(Signal.CACHE_EVICTS) && evicted > 0);
        boolean full = checks.atLeast(new Text("the cache is full", "缓存已满"), cached, window.bound(FULL), Say::percent);
        if (!(before && staged && misses && evicts && full)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.likely(new Text(
                        "Whether the imported files are those that are read now is not known.", "不知导入的文件是否就是现在读取的。")),
                format(
                        "An import staged %1$s into a cache of %2$s; since it ended %3$s of the reads miss and each block pushes"
                                + " another out.",
                        "一次导入向 %2$s 的缓存暂存了 %1$s；结束后 %3$s 的读取未命中，每块都要挤掉另一块。",
                        Say.bytes(imported),
                        Say.bytes(limit),
                        Say.percent(ratio)),
                List.of(
                        Evidence.rise(window.series(Signal.STAGED_BYTES), 0, Math.max(1, end)),
                        lately.lane(Signal.MISS_RATIO),
                        lately.lane(Signal.CACHE_EVICTS),
                        lately.lane(Signal.CACHED_BYTES)),
                List.of(),
                List.of(),
                remedies(facts, ratio),
                checks));
    }

    /** The step after the last one of an import; -1 where there was none. */
    private static int endOfImport(Window window, int until) {
        for (int i = until - 1; i >= 0; i--) {
            if (window.masked(i, Mask.IMPORT)) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Blocks that are staged are linked into the read cache. */
    private static double imported(Window window, int end) {
        double bytes = 0;
        for (int i = 0; i < end; i++) {
            double rate = window.masked(i, Mask.IMPORT)
                    ? window.series(Signal.STAGED_BYTES).at(i)
                    : 0;
            bytes += Double.isNaN(rate) ? 0 : rate * window.axis().stepMillis() / 1e3;
        }
        return bytes;
    }

    private static List<Remedy> remedies(MountFacts facts, double ratio) {
        Text verify = new Text("under 2 % of the reads miss", "未命中低于 2 %");
        List<Remedy> remedies = new ArrayList<>();
        if (facts.mayHave(1, 2)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Put what was imported out of the cache, and warm what is read.", "把导入内容移出缓存，再预热要读的数据。"),
                    "juicefs warmup --evict " + facts.path() + "/IMPORTED\njuicefs warmup " + facts.path() + "/DATASET",
                    format(
                            "misses %1$s → under 2 %%, if the data set fits",
                            "未命中 %1$s → 低于 2 %%，前提是装得下", Say.percent(ratio)),
                    new Text("the warm-up loads the store; without it the next epoch is cold", "预热给对象存储加压；不预热则下一轮是冷的"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Import next time through a mount of its own, without staging and without a cache.",
                        "下次用独立挂载导入，不暂存也不缓存。"),
                "juicefs mount -d --cache-size 0 " + facts.metaUrl() + " /mnt/import",
                new Text("the training mount's cache keeps what it has", "训练挂载的缓存保持不变"),
                new Text("the import runs at the speed of the uplink", "导入速度取决于上行带宽"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not delete cache files by hand while mounted, and never below rawstaging.",
                "挂载期间不要手动删除缓存文件，更不要动 rawstaging。")));
        return remedies;
    }
}
