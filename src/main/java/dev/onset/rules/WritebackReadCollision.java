package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Change;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Series;
import dev.onset.timeline.Shift;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Staged writes and their upload fill the queue of the disk that serves cached reads; hits get slow, accelerators wait. */
final class WritebackReadCollision implements Rule {
    private static final double MIB = 1 << 20;
    private static final double WRITE_FLOOR = 30 * MIB;
    private static final double WRITE_RISE = 3;
    private static final int LEAD = 3;
    private static final double MISS_RATIO_RISE = 0.05;

    private static final RuleCard CARD = new RuleCard(
            "writeback-read-collision",
            new Text("Writeback collides with cached reads", "写回与读取争用缓存盘"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.HIT_BYTES, Signal.READ_SECONDS, Signal.UTILISATION));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** One mount, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final MountFacts facts;
        private final Series staged;
        private final Series put;
        private final Series hit;
        private final Series missRatio;
        private final Series readCost;
        private final Series reading;
        private final Series cacheLatency;
        private final Series use;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            staged = window.series(Signal.STAGED_BYTES);
            put = window.series(Signal.PUT_BYTES);
            hit = window.series(Signal.HIT_BYTES);
            missRatio = window.series(Signal.MISS_RATIO);
            readCost = window.series(Signal.READ_COST);
            reading = window.series(Signal.READ_SECONDS);
            cacheLatency = window.series(Signal.CACHE_READ_LATENCY);
            use = window.series(Signal.UTILISATION);
        }

        Verdict verdict() {
            boolean writeback = facts.isSet(Facts.WRITEBACK) || staged.max(0, window.size()) > 0;
            if (!checks.add(
                    new Text("the mount stages writes (--writeback)", "挂载点使用写回（--writeback）"),
                    Say.rate(staged.max(0, window.size())),
                    "> 0",
                    writeback)) {
                return checks.quiet();
            }
            List<Change> effects = UtilisationDrops.in(window).stream()
                    .filter(effect -> !window.masked(effect.start(), Mask.EVAL))
                    .toList();
            Pairing pairing = Pairing.of(window, causes(), effects, LEAD);
            Pairing.Pair pair = pairing.latest();
            if (!checks.add(
                            new Text("staging rose before utilisation fell, or in the same step", "暂存写入先于利用率下降或同步上升"),
                            pairing.pairs().size() + "",
                            "≥ 1",
                            pair != null)
                    || pair == null
                    || pairing.contradicted()) {
                return checks.quiet();
            }
            Change effect = pair.effect();
            boolean recent = effect.goingOn() || effect.end() >= window.size() - 1;
            int from = effect.start();
            int to = Math.min(window.size(), from + window.axis().steps(3));
            Optional<CacheDisk> disk = CacheDisk.of(
                    window, pair.cause().start(), to, staged.max(pair.cause().start(), to));
            boolean queue =
                    disk.isPresent() && queueFull(disk.get(), pair.cause().start(), to);
            boolean slow = slowHits(pair, from, to, disk, queue);
            boolean mechanism = mechanism(pair, from, to) && slow && !anotherWriter(disk, from, to);
            int steps = effect.steps();
            boolean enough = pairing.pairs().size() >= 2
                    || steps >= window.axis().steps(3)
                    || (queue && steps >= window.axis().steps(2));
            checks.add(
                    new Text("it happened twice, or lasts, or the disk's queue shows it", "已出现两次、持续存在或磁盘队列可证"),
                    steps + "",
                    "≥ " + window.axis().steps(2),
                    enough);
            return recent && mechanism && enough ? new Verdict.Found(finding(pairing, pair, disk)) : checks.quiet();
        }

        private List<Change> causes() {
            double floor = WRITE_FLOOR * window.floorScale();
            List<Change> causes = new ArrayList<>(
                    Shift.rise(Signal.STAGED_BYTES, floor, WRITE_RISE).in(window));
            for (Change upload : Shift.rise(Signal.PUT_BYTES, floor, WRITE_RISE).in(window)) {
                // Uploads that follow staging are its shadow, not a second cause.
                boolean shadow = causes.stream()
                        .anyMatch(stage -> upload.start() >= stage.start()
                                && upload.start() <= stage.end() + window.axis().steps(2));
                if (!shadow) {
                    causes.add(upload);
                }
            }
            causes.sort(Comparator.comparingInt(Change::start));
            return causes;
        }

        private boolean mechanism(Pairing.Pair pair, int from, int to) {
            int healthy = Math.min(pair.cause().start(), from);
            double missBase = orZero(Evidence.before(missRatio, healthy));
            double missNow = orZero(missRatio.median(from, to));
            boolean hits = checks.add(
                    new Text("reads still hit the cache", "读取仍命中缓存"),
                    Say.percent(missNow) + " missed",
                    "≤ " + Say.percent(missBase + MISS_RATIO_RISE),
                    missNow <= missBase + MISS_RATIO_RISE);
            double hitBase = Evidence.before(hit, healthy);
            double hitNow = hit.min(from, to);
            boolean fewer = checks.add(
                    new Text("cached reads deliver less", "缓存读吞吐下降"),
                    Say.rate(hitNow),
                    "≤ " + Say.rate(0.7 * hitBase),
                    hitNow <= 0.7 * hitBase);
            double costBase = Evidence.before(readCost, healthy);
            double cost = readCost.max(from, to);
            boolean dearer = checks.add(
                    new Text("waiting per byte read rose", "每字节读取等待上升"),
                    Say.number(cost) + " s/GB",
                    "≥ " + Say.number(2 * costBase) + " s/GB",
                    cost >= 2 * costBase);
            double asking = reading.median(from, to);
            double askingBase = Evidence.before(reading, healthy);
            boolean stillAsking = checks.add(
                    new Text("the application still asks for data", "应用仍在请求数据"),
                    Say.number(asking),
                    "≥ " + Say.number(0.3 * askingBase),
                    asking >= 0.3 * askingBase);
            boolean starving = checks.add(
                    new Text("the loop waits for data, as far as it says", "训练循环在等数据（若有自述）"),
                    Say.number(window.series(Signal.DATA_WAIT).max(from, to)) + " s/s",
                    "≥ 0.1 of the idle share",
                    !UtilisationDrops.loopIsFed(window, pair.effect()));
            return hits && fewer && dearer && stillAsking && starving;
        }

        private boolean slowHits(Pairing.Pair pair, int from, int to, Optional<CacheDisk> disk, boolean queue) {
            int healthy = Math.min(pair.cause().start(), from);
            double base = Evidence.before(cacheLatency, healthy);
            double now = cacheLatency.max(pair.cause().start(), to);
            boolean client = now >= 2e-3 && now >= 1.7 * base;
            boolean device = disk.map(found -> {
                        Series latency = window.series(Signal.DISK_READ_LATENCY, found.device());
                        double slow = latency.max(pair.cause().start(), to);
                        return slow >= 1e-3 && slow >= 2 * Evidence.before(latency, healthy);
                    })
                    .orElse(false);
            return checks.add(
                    new Text("a cached block takes longer to read", "读取缓存块变慢"),
                    Say.duration(now),
                    "≥ " + Say.duration(Math.max(2e-3, 1.7 * base)),
                    client || device || queue);
        }

        private boolean queueFull(CacheDisk disk, int start, int end) {
            Series queue = window.series(Signal.DISK_QUEUE, disk.device());
            double base = Evidence.before(queue, start);
            double peak = queue.max(start, end);
            return checks.add(
                    format("the queue of %1$s filled up", "%1$s 队列变长", disk.device()),
                    Say.number(peak),
                    "≥ " + Say.number(Math.max(8, 3 * base)),
                    peak >= 8 && peak >= 3 * base);
        }

        /** The device writes far more than JuiceFS does: somebody else's I/O, not ours to blame on writeback. */
        private boolean anotherWriter(Optional<CacheDisk> disk, int from, int to) {
            if (disk.isEmpty()) {
                return false;
            }
            double device =
                    window.series(Signal.DISK_WRITE_BYTES, disk.get().device()).mean(from, to);
            double ours = orZero(staged.mean(from - 1, to))
                    + orZero(window.series(Signal.CACHE_FILL).mean(from - 1, to));
            boolean other = device > 3 * ours + WRITE_FLOOR;
            checks.add(
                    new Text("the disk's writes are JuiceFS' own", "磁盘写入来自 JuiceFS"),
                    Say.rate(device),
                    "≤ " + Say.rate(3 * ours + WRITE_FLOOR),
                    !other);
            return other;
        }

        private Finding finding(Pairing pairing, Pairing.Pair pair, Optional<CacheDisk> disk) {
            Change effect = pair.effect();
            Change cause = pair.cause();
            int end = effect.end();
            Confidence confidence = pairing.confidence();
            double slow = cacheLatency.max(cause.start(), end);
            double slowBase = Evidence.before(cacheLatency, cause.start());
            double written = Math.max(orZero(staged.max(cause.start(), end)), orZero(put.max(cause.start(), end)));
            String english = pair.order() == Order.TOGETHER
                    ? "In one step writeback rose to %1$s, a cached block took %2$s instead of %3$s, and utilisation fell"
                            + " from %4$s to %5$s."
                    : "Writeback rose to %1$s; on the same disk a cached block then took %2$s instead of %3$s, and"
                            + " utilisation fell from %4$s to %5$s.";
            String chinese = pair.order() == Order.TOGETHER
                    ? "同一步内写回升至 %1$s，缓存块读取由 %3$s 变为 %2$s，利用率由 %4$s 降至 %5$s。"
                    : "写回升至 %1$s，同盘缓存块读取随后由 %3$s 变为 %2$s，利用率由 %4$s 降至 %5$s。";
            return new Finding(
                    Severity.S2,
                    confidence,
                    Sentences.whyNotSurer(window, pairing, confidence),
                    format(
                            english,
                            chinese,
                            Say.rate(written),
                            Say.duration(slow),
                            Say.duration(slowBase),
                            Say.percent(effect.base()),
                            Say.percent(effect.extreme())),
                    Sentences.repetition(pairing.repetition(), pair.order()),
                    Sentences.inTimeOrder(cause, effect),
                    pairing.repetition(),
                    lanes(pair, disk),
                    ruledOut(pair),
                    unknown(disk),
                    subCauses(cause, effect),
                    remedies(cause, effect),
                    Sentences.losses(window, pairing),
                    checks.all());
        }

        private List<Lane> lanes(Pairing.Pair pair, Optional<CacheDisk> disk) {
            int start = Math.min(pair.cause().start(), pair.effect().start());
            int end = pair.effect().end();
            List<Lane> lanes = new ArrayList<>();
            lanes.add(Evidence.fall(use, start, end));
            lanes.add(Evidence.rise(staged, start, end));
            lanes.add(Evidence.rise(put, start, end));
            lanes.add(Evidence.rise(cacheLatency, start, end));
            disk.ifPresent(
                    found -> lanes.add(Evidence.rise(window.series(Signal.DISK_QUEUE, found.device()), start, end)));
            lanes.add(Evidence.fall(hit, start, end));
            lanes.add(Evidence.rise(readCost, start, end));
            return lanes;
        }

        private List<Reason> ruledOut(Pairing.Pair pair) {
            int start = pair.effect().start();
            int end = pair.effect().end();
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("cache misses", "缓存未命中"),
                    format(
                            "%1$s of the bytes read were missed at the fall",
                            "下降时未命中仅占读取字节的 %1$s",
                            Say.percent(orZero(missRatio.median(start, Math.min(end, start + 2)))))));
            Series getLatency = window.series(Signal.GET_LATENCY);
            double get = getLatency.median(start, end);
            if (Double.isNaN(get)
                    || get <= 1.3 * Evidence.before(getLatency, pair.cause().start())) {
                ruledOut.add(new Reason(
                        new Text("slow object store", "对象存储变慢"),
                        Double.isNaN(get)
                                ? new Text("nothing was read from it", "期间没有从它读取")
                                : format("a GET takes %1$s as before", "GET 仍为 %1$s", Say.duration(get))));
            }
            ruledOut.add(new Reason(
                    new Text("trainer blocked in save()", "训练阻塞在保存检查点"),
                    format(
                            "reads stay under way: %1$s at once on average",
                            "读取一直在进行：平均同时 %1$s 个", Say.number(reading.median(start, end)))));
            Series fill = window.series(Signal.CACHE_FILL);
            ruledOut.add(new Reason(
                    new Text("first-epoch fill of the cache", "首轮填充缓存"),
                    format("cache fill is %1$s", "缓存填充为 %1$s", Say.rate(orZero(fill.median(start, end))))));
            return ruledOut;
        }

        private List<Reason> unknown(Optional<CacheDisk> disk) {
            List<Reason> unknown = new ArrayList<>();
            Sentences.nodeUnknown(window).ifPresent(unknown::add);
            if (disk.isPresent() && !disk.get().stated()) {
                unknown.add(new Reason(
                        format(
                                "whether the cache lies on %1$s",
                                "缓存是否位于 %1$s", disk.get().device()),
                        new Text(
                                "its queue and writes say so, the mount's options are not readable from here",
                                "其队列与写入表明如此，但此处读不到挂载参数")));
            } else if (!facts.configKnown()) {
                unknown.add(Sentences.configUnknown());
            }
            if (!window.series(Signal.SAMPLES).known()) {
                unknown.add(Sentences.samplesUnknown());
            }
            return unknown;
        }

        private List<String> subCauses(Change cause, Change effect) {
            List<String> sub = new ArrayList<>();
            if (window.series(Signal.CACHE_EVICTS).max(cause.start(), effect.end()) > 1) {
                sub.add("cache-polluted-by-import");
            }
            double buffer = window.series(Signal.BUFFER_BYTES).max(cause.start(), effect.end());
            if (buffer >= 0.8 * facts.setting(Facts.BUFFER_SIZE_BYTES)) {
                sub.add("buffer-saturation");
            }
            if (window.series(Signal.STAGING_BYTES).max(cause.start(), effect.end()) >= 1 << 30) {
                sub.add("staging-backlog-data-risk");
            }
            return sub;
        }

        private List<Remedy> remedies(Change cause, Change effect) {
            List<Remedy> remedies = new ArrayList<>();
            Text verify = new Text(
                    "at the next checkpoint a cached block takes at most 1.5× its usual time, utilisation stays up, and"
                            + " nothing is staged before the one after",
                    "下次写检查点时缓存块读取不超过平时 1.5 倍，利用率不降，且下一次之前暂存清空");
            Text effectText = format(
                    "cached reads stay at %1$s during a save; utilisation %2$s → about %3$s",
                    "保存期间缓存读保持 %1$s；利用率 %2$s → 约 %3$s",
                    Say.duration(Evidence.before(cacheLatency, cause.start())),
                    Say.percent(effect.extreme()),
                    Say.percent(effect.base()));
            remedies.add(limit(cause, effect, verify));
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Mount the volume twice: training data without --writeback on disk A, checkpoints with it on"
                                    + " disk B.",
                            "同一卷挂载两次：训练数据不开 --writeback 用 A 盘，检查点开写回用 B 盘。"),
                    "juicefs mount -d --cache-dir /diskA/jfs --metrics 127.0.0.1:9567 " + facts.metaUrl() + " "
                            + facts.path()
                            + "\njuicefs mount -d --writeback --cache-dir /diskB/jfs --metrics 127.0.0.1:9568 "
                            + facts.metaUrl() + " " + "/mnt/checkpoints",
                    effectText,
                    new Text(
                            "needs a second disk and a remount; staged data lives on disk B until uploaded",
                            "需要第二块盘并重新挂载；上传完成前暂存数据只在 B 盘"),
                    verify));
            if (facts.mayHave(1, 4)) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Stage only small blocks.", "只暂存小块。"),
                        "juicefs mount -d --writeback --writeback-threshold-size 1M " + facts.metaUrl() + " "
                                + facts.path(),
                        new Text("large checkpoint blocks go straight to the store", "大块检查点直接写对象存储"),
                        new Text(
                                "saves take as long as the upload; a remount with its other options as now; JuiceFS 1.4 or newer",
                                "保存耗时等于上传耗时；需重挂且其余参数照旧；需 1.4 及以上"),
                        verify));
            }
            if (facts.mayHave(1, 2)
                    && !(facts.setting(Facts.MAX_STAGE_WRITE) <= 8 && facts.isSet(Facts.MAX_STAGE_WRITE))) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Let few blocks be staged at once; the rest goes straight up.", "限制同时暂存的块数，其余直接上传。"),
                        "juicefs mount -d --writeback --max-stage-write 8 " + facts.metaUrl() + " " + facts.path(),
                        new Text("a shorter queue in front of reads", "读取前面的队列变短"),
                        new Text("bursts are as slow as the store; JuiceFS 1.2 or newer", "突发写入受限于对象存储；需 1.2 及以上"),
                        verify));
            }
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Drop --writeback on this mount if the files are large.", "若写入的都是大文件，在此挂载点去掉 --writeback。"),
                    "juicefs mount -d " + facts.metaUrl() + " " + facts.path(),
                    effectText,
                    new Text("a save then waits for the object store", "保存需等待对象存储"),
                    verify));
            remedies.add(Remedy.doNot(new Text(
                    "Do not list two directories in --cache-dir to separate reads from writes: blocks are spread over both.",
                    "不要用两个 --cache-dir 来分离读写：块会哈希到所有目录。")));
            remedies.add(Remedy.doNot(new Text(
                    "Do not delete rawstaging and do not unmount while blocks are staged: they exist nowhere else.",
                    "有暂存块时不要删除 rawstaging，也不要卸载：这些数据别处没有。")));
            return remedies;
        }

        private Remedy limit(Change cause, Change effect, Text verify) {
            double upload = orZero(put.max(cause.start(), effect.end()));
            // Half of what was uploaded during the fall; the flag counts megabits.
            long megabits = Math.max(8, Math.round(upload / 2 * 8 / 1e6));
            return new Remedy(
                    Remedy.Kind.DO,
                    format(
                            "Slow the upload down without a remount: %1$d Mbps for each client of the volume.",
                            "无需重挂，先限速上传：卷内每个客户端 %1$d Mbps。", megabits),
                    "juicefs config " + facts.metaUrl() + " --upload-limit " + megabits,
                    format(
                            "uploads %1$s → %2$s; the disk is read half as much for them, draining takes twice as long",
                            "上传 %1$s → %2$s；为上传读盘减半，清空时间加倍", Say.rate(upload), Say.rate(upload / 2)),
                    new Text(
                            "staged data waits longer on a local disk; takes effect within one heartbeat",
                            "暂存数据在本地盘停留更久；一个心跳内生效"),
                    verify);
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
