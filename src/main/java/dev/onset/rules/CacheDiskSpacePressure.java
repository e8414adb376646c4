package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cache disk is full: reads are no longer cached, and writes that should be staged go straight to the store. */
final class CacheDiskSpacePressure implements Rule {
    private static final String ID = "cache-disk-space-pressure";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound MARGIN = new Bound(ID, "margin-above-free-space-ratio", 0.02, Unit.RATIO);
    private static final Bound REFUSED = new Bound(ID, "refused-blocks-in-a-step", 1, Unit.COUNT);
    private static final Bound NEARLY_NONE = new Bound(ID, "nearly-none-free", 0.03, Unit.RATIO);
    private static final double USUAL_FREE_SPACE = 0.1;
    /** Half of the free space that stops caching of reads stops staging of writes. */
    private static final double STAGING_SHARE = 0.5;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The cache disk is full", "缓存盘空间不足"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.SAFETY,
            List.of(Signal.CACHED_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, MARGIN, REFUSED, NEARLY_NONE);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        Series errors = window.series(Signal.STAGING_ERRORS);
        String root = CacheDisk.fileSystem(window);
        if (root == null && !errors.known()) {
            return new Verdict.Unsure(List.of(
                    facts.configKnown()
                            ? Sentences.nodeUnknown(window).orElse(Sentences.cacheFolderUnknown())
                            : Sentences.configUnknown()));
        }
        Checks checks = new Checks();
        int from = window.size() - window.steps(STEPS);
        double stated = facts.setting(Facts.FREE_SPACE_RATIO);
        double kept = Double.isNaN(stated) ? USUAL_FREE_SPACE : stated;
        double free = root == null ? Double.NaN : mostFree(window, root, from);
        boolean low = checks.below(
                new Text("share of the cache disk that is free", "缓存盘空闲比例"),
                free,
                kept + window.bound(MARGIN),
                Say::percent);
        double seconds = window.axis().stepMillis() / 1e3;
        double refused = Math.min(errors.at(window.now()), errors.at(window.now() - 1)) * seconds;
        boolean refuses = checks.atLeast(
                new Text("blocks that could not be staged, in each of two steps", "连续两步每步未能暂存的块"),
                refused,
                window.bound(REFUSED),
                Say::number);
        if (!low && !refuses) {
            return checks.quiet();
        }
        double staged = window.series(Signal.STAGING_BYTES).latest();
        boolean atRisk = staged > 0 && free < window.bound(NEARLY_NONE);
        return new Verdict.Found(Finding.state(
                atRisk ? Severity.S1 : Severity.S2,
                Doubt.NONE,
                low
                        ? format(
                                "The cache disk has %1$s free, and the client keeps %2$s: %3$s.",
                                "缓存盘空闲 %1$s，而客户端保留 %2$s：%3$s。",
                                Say.percent(free),
                                Say.percent(kept),
                                free < STAGING_SHARE * kept
                                        ? new Text(
                                                "reads are not cached, and writes are uploaded before they return",
                                                "读取不再缓存，写入需上传完成才返回")
                                        : new Text("reads are no longer cached", "读取不再缓存"))
                        : format(
                                "%1$s blocks a step could not be staged on the cache disk: those writes wait for the upload.",
                                "每步 %1$s 块无法暂存到缓存盘：这些写入须等待上传。", Say.number(refused)),
                lanes(window, root, from),
                List.of(),
                unknown(window, facts, root),
                remedies(window, facts, root),
                checks));
    }

    /** The most that was free in any of the last steps: it was low in all of them. */
    private static double mostFree(Window window, String root, int from) {
        Series available = window.series(Signal.FS_AVAILABLE, root);
        double size = window.series(Signal.FS_SIZE, root).latest();
        return from < 0 ? Double.NaN : available.max(from, window.size()) / size;
    }

    private static List<Lane> lanes(Window window, @Nullable String root, int from) {
        List<Lane> lanes = new ArrayList<>();
        int start = Math.max(0, from);
        if (root != null) {
            lanes.add(Evidence.fall(window.series(Signal.FS_AVAILABLE, root), start, window.size()));
        }
        lanes.add(Evidence.rise(window.series(Signal.STAGING_ERRORS), start, window.size()));
        lanes.add(Evidence.rise(window.series(Signal.CACHED_BYTES), start, window.size()));
        lanes.add(Evidence.fall(window.series(Signal.STAGED_BYTES), start, window.size()));
        lanes.add(Evidence.rise(window.series(Signal.PUT_BYTES), start, window.size()));
        return lanes;
    }

    private static List<Reason> unknown(Window window, MountFacts facts, @Nullable String root) {
        List<Reason> unknown = new ArrayList<>();
        if (root == null) {
            unknown.add(Sentences.nodeUnknown(window).orElse(Sentences.cacheFolderUnknown()));
        }
        if (!facts.configKnown()) {
            unknown.add(Sentences.configUnknown());
        }
        unknown.add(new Reason(
                new Text("free inodes of the cache disk", "缓存盘剩余 inode"),
                format("df -i %1$s tells", "可运行 df -i %1$s 查看", facts.cacheFolder())));
        return unknown;
    }

    private static List<Remedy> remedies(Window window, MountFacts facts, @Nullable String root) {
        Text verify = new Text("staging errors stay at 0 and writes are staged again", "暂存错误保持为 0，写入恢复暂存");
        double cached = window.series(Signal.CACHED_BYTES).latest();
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                format(
                        "See what else fills the disk: the cache itself takes %1$s.",
                        "查看还有什么占用该盘：缓存自身占 %1$s。", Say.bytes(cached)),
                "df -h " + facts.cacheFolder() + "; du -xsh "
                        + (root == null ? facts.cacheFolder() : MountFacts.quoted(root)) + "/*",
                new Text("space for the cache without making it smaller", "无需缩小缓存即可腾出空间"),
                new Text(
                        "delete nothing below rawstaging: it is data that exists nowhere else",
                        "不要删除 rawstaging 下的任何内容：那是唯一副本"),
                verify));
        if (cached > 0) {
            double smaller = 0.8 * cached;
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Let the cache take less of this disk, or give it a disk of its own.", "减小缓存，或让它独占一块盘。"),
                    facts.remount("--cache-size " + MountFacts.mebibytes(smaller)),
                    format("%1$s become free", "释放 %1$s", Say.bytes(cached - smaller)),
                    new Text("fewer hits: see cache-capacity-thrash afterwards", "命中率下降：之后关注 cache-capacity-thrash"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not set --free-space-ratio to 0: the disk fills up completely and staging fails in the middle of a block.",
                "不要把 --free-space-ratio 设为 0：磁盘会彻底写满，暂存会在块中途失败。")));
        return remedies;
    }
}
