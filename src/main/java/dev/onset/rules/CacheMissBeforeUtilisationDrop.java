package dev.onset.rules;

import static dev.onset.signals.Text.format;

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

/** Reads miss every cache, each miss waits for the object store, the loader's queue runs dry, accelerators starve. */
final class CacheMissBeforeUtilisationDrop implements Rule {
    private static final double MIB = 1 << 20;
    private static final double MISS_FLOOR = 20 * MIB;
    private static final double SMALL_FILES_FLOOR = 50;
    private static final double LEAST_MISS_RATIO = 0.10;
    private static final double MISS_RATIO_RISE = 0.05;
    private static final double READ_COST_RISE = 3;
    private static final int LEAD = 4;
    private static final int SUSTAINED = 3;

    private static final RuleCard CARD = new RuleCard(
            "cache-miss-before-utilisation-drop",
            new Text("Cache misses starve the accelerators", "缓存未命中使加速器等数据"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.MISS_BYTES, Signal.READ_SECONDS, Signal.UTILISATION));

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
        private final Series miss;
        private final Series missRatio;
        private final Series readCost;
        private final Series reading;
        private final Series get;
        private final Series getLatency;
        private final Series use;
        private final Series evicts;

        Case(Window window) {
            this.window = window;
            miss = window.series(Signal.MISS_BYTES);
            missRatio = window.series(Signal.MISS_RATIO);
            readCost = window.series(Signal.READ_COST);
            reading = window.series(Signal.READ_SECONDS);
            get = window.series(Signal.GET_BYTES);
            getLatency = window.series(Signal.GET_LATENCY);
            use = window.series(Signal.UTILISATION);
            evicts = window.series(Signal.CACHE_EVICTS);
        }

        Verdict verdict() {
            List<Change> causes = causes();
            List<Change> effects = UtilisationDrops.in(window).stream()
                    .filter(effect -> !asksForNothing(effect))
                    .toList();
            Pairing pairing = Pairing.of(window, causes, effects, LEAD);
            Pairing.Pair pair = pairing.latest();
            checks.add(
                    new Text("misses rose out of their baseline", "未命中超出基线"),
                    causes.size() + "",
                    "≥ 1",
                    !causes.isEmpty());
            checks.add(
                    new Text("utilisation fell while data was asked for", "有读取需求时利用率下降"),
                    effects.size() + "",
                    "≥ 1",
                    !effects.isEmpty());
            checks.add(
                    new Text("the misses came first or in the same step", "未命中在前或在同一步"),
                    pairing.pairs().size() + "",
                    "≥ 1",
                    pair != null);
            if (pair == null || pairing.contradicted() || !recent(pair.effect())) {
                return checks.quiet();
            }
            boolean mechanism = mechanism(pair);
            boolean enough = pairing.pairs().size() >= 3
                    || pair.effect().steps() >= window.axis().steps(SUSTAINED)
                    || deep(pair.effect());
            checks.add(
                    new Text("it lasts three steps, is deep, or happened three times", "持续三步、幅度很深或已出现三次"),
                    pair.effect().steps() + "",
                    "≥ " + window.axis().steps(SUSTAINED),
                    enough);
            if (!mechanism || !enough) {
                return checks.quiet();
            }
            return new Verdict.Found(finding(pairing, pair));
        }

        /** Bytes for large files, operations for small ones, always with a share of misses that is not noise. */
        private List<Change> causes() {
            double scale = window.floorScale();
            List<Change> causes = new ArrayList<>(
                    Shift.rise(Signal.MISS_BYTES, MISS_FLOOR * scale, 2).in(window));
            for (Change small :
                    Shift.rise(Signal.MISSES, SMALL_FILES_FLOOR * scale, 2).in(window)) {
                if (causes.stream().noneMatch(large -> Math.abs(large.start() - small.start()) <= 1)) {
                    causes.add(small);
                }
            }
            causes.removeIf(cause -> !missRatioRose(cause));
            causes.sort(Comparator.comparingInt(Change::start));
            return causes;
        }

        private boolean missRatioRose(Change cause) {
            double base = Evidence.before(missRatio, cause.start());
            double now = missRatio.max(cause.start(), cause.start() + 2);
            return now >= LEAST_MISS_RATIO && now >= (Double.isNaN(base) ? 0 : base) + MISS_RATIO_RISE;
        }

        /** The application stopped asking: an evaluation, a pause, the end of the job. Misses then are not its cause. */
        private boolean asksForNothing(Change effect) {
            return window.masked(effect.start(), Mask.EVAL) || window.masked(effect.start() + 1, Mask.EVAL);
        }

        private boolean recent(Change effect) {
            return effect.goingOn() || effect.end() >= window.size() - 1;
        }

        private boolean deep(Change effect) {
            int deep = 0;
            for (int i = effect.start(); i < effect.end(); i++) {
                deep += use.at(i) < 0.3 * effect.base() ? 1 : 0;
            }
            return deep >= window.axis().steps(2);
        }

        private boolean mechanism(Pairing.Pair pair) {
            int from = pair.effect().start() - 1;
            int to = Math.min(window.size(), pair.effect().start() + 2);
            double getBase = Evidence.before(get, pair.cause().start());
            double getPeak = get.max(pair.cause().start(), pair.cause().start() + 2);
            boolean fetched = getPeak > Math.max(1.3 * getBase, getBase + 1e6);
            checks.add(
                    new Text("object reads rose with the misses", "对象读取随未命中上升"),
                    Say.rate(getPeak),
                    "> " + Say.rate(1.3 * getBase),
                    fetched);
            double costBase = Evidence.before(
                    readCost, Math.min(pair.cause().start(), pair.effect().start()));
            double cost = readCost.max(from, to);
            boolean dearer = Double.isNaN(costBase) ? cost > 0 : cost >= READ_COST_RISE * costBase;
            checks.add(
                    new Text("waiting per byte read rose", "每字节读取等待上升"),
                    Say.number(cost) + " s/GB",
                    "≥ " + Say.number(READ_COST_RISE * costBase) + " s/GB",
                    dearer);
            double asking = reading.max(from, to);
            double askingBound = Math.max(
                    0.1, 0.3 * orZero(Evidence.before(reading, pair.cause().start())));
            boolean stillAsking = asking >= askingBound;
            checks.add(
                    new Text("the application still asks for data", "应用仍在请求数据"),
                    Say.number(asking),
                    "≥ " + Say.number(askingBound),
                    stillAsking);
            boolean starving = checks.add(
                    new Text("the loop waits for data, as far as it says", "训练循环在等数据（若有自述）"),
                    Say.number(window.series(Signal.DATA_WAIT).max(from, to)) + " s/s",
                    "≥ 0.1 of the idle share",
                    !UtilisationDrops.loopIsFed(window, pair.effect()));
            return fetched && dearer && stillAsking && starving;
        }

        private Finding finding(Pairing pairing, Pairing.Pair pair) {
            Change effect = pair.effect();
            Change cause = pair.cause();
            double cold = window.maskedShare(effect.start(), effect.end(), Mask.COLD);
            Confidence confidence = pairing.confidence();
            double trough = effect.extreme();
            double ratio = missRatio.max(cause.start(), effect.end());
            Text summary = format(
                    "Misses rose to %1$s of reads (%2$s), then utilisation fell from %3$s to %4$s: reads wait for the"
                            + " object store.",
                    "读取超出缓存：未命中升至 %1$s（%2$s），随后利用率由 %3$s 降至 %4$s，读取在等对象存储。",
                    Say.percent(ratio),
                    Say.rate(miss.max(cause.start(), effect.end())),
                    Say.percent(effect.base()),
                    Say.percent(trough));
            if (pair.order() == Order.TOGETHER) {
                summary = format(
                        "Misses rose to %1$s of reads and utilisation fell from %2$s to %3$s in the same %4$s step:"
                                + " reads wait for the object store.",
                        "同一个 %4$s 步内未命中升至 %1$s，利用率由 %2$s 降至 %3$s：读取在等对象存储。",
                        Say.percent(ratio),
                        Say.percent(effect.base()),
                        Say.percent(trough),
                        Say.duration(window.axis().stepMillis() / 1e3));
            }
            return new Finding(
                    severity(effect, cold),
                    confidence,
                    Sentences.whyNotSurer(window, pairing, confidence),
                    summary,
                    Sentences.repetition(pairing.repetition(), pair.order()),
                    Sentences.inTimeOrder(cause, effect),
                    pairing.repetition(),
                    lanes(pair),
                    ruledOut(pair, cold),
                    unknown(cause, effect),
                    subCauses(cause, effect),
                    remedies(cause, effect),
                    Sentences.losses(window, pairing),
                    checks.all());
        }

        private Severity severity(Change effect, double cold) {
            if (cold >= 0.5) {
                return Severity.S4;
            }
            double lost = 1 - use.mean(effect.start(), effect.end()) / effect.base();
            double share = lost
                    * effect.steps()
                    / Math.max(1, Math.min(window.size(), window.axis().steps(40)));
            return share < 0.05 && effect.over() ? Severity.S3 : Severity.S2;
        }

        private List<Lane> lanes(Pairing.Pair pair) {
            int start = Math.min(pair.cause().start(), pair.effect().start());
            int end = pair.effect().end();
            List<Lane> lanes = new ArrayList<>();
            lanes.add(Evidence.fall(use, start, end));
            lanes.add(Evidence.rise(pair.cause().series(), start, end));
            lanes.add(Evidence.rise(missRatio, start, end));
            lanes.add(Evidence.rise(get, start, end));
            lanes.add(Evidence.rise(readCost, start, end));
            lanes.add(Evidence.rise(getLatency, start, end));
            lanes.add(Evidence.rise(evicts, start, end));
            return lanes;
        }

        private List<Reason> ruledOut(Pairing.Pair pair, double cold) {
            List<Reason> ruledOut = new ArrayList<>();
            Change effect = pair.effect();
            if (cold < 0.5) {
                ruledOut.add(new Reason(
                        new Text("cold first epoch", "首轮冷缓存"),
                        format(
                                "%1$s of the steps look like a first pass (evictions %2$s)",
                                "仅 %1$s 的步像首轮读取（淘汰 %2$s）",
                                Say.percent(cold),
                                Say.perSecond(evicts.max(effect.start(), effect.end())))));
            }
            ruledOut.add(new Reason(
                    new Text("evaluation pause or end of job", "评估暂停或任务结束"),
                    format(
                            "reads stay under way: %1$s at once on average",
                            "读取一直在进行：平均同时 %1$s 个", Say.number(reading.median(effect.start(), effect.end())))));
            double written = window.series(Signal.FUSE_WRITE_BYTES).max(effect.start() - 1, effect.end());
            if (window.maskedShare(effect.start(), effect.end(), Mask.CKPT) == 0) {
                ruledOut.add(new Reason(
                        new Text("checkpoint", "写检查点"),
                        format("writes reach %1$s only", "写入最高仅 %1$s", Say.rate(written))));
            }
            double latencyBefore = Evidence.before(getLatency, pair.cause().start());
            double latency = getLatency.median(effect.start(), effect.end());
            if (latency <= 1.3 * latencyBefore) {
                ruledOut.add(new Reason(
                        new Text("slow object store", "对象存储变慢"),
                        format(
                                "a GET takes %1$s, %2$s before",
                                "GET 平均 %1$s，此前 %2$s", Say.duration(latency), Say.duration(latencyBefore))));
            }
            Series errors = window.series(Signal.OBJECT_ERRORS);
            if (errors.known() && errors.max(effect.start() - 1, effect.end()) == 0) {
                ruledOut.add(new Reason(
                        new Text("failing object requests", "对象请求出错重试"), new Text("no request failed", "没有失败请求")));
            }
            if (window.maskedShare(effect.start(), effect.end(), Mask.RESTART) == 0) {
                ruledOut.add(
                        new Reason(new Text("remount", "重新挂载"), new Text("the client did not restart", "客户端没有重启")));
            }
            return ruledOut;
        }

        private List<Reason> unknown(Change cause, Change effect) {
            List<Reason> unknown = new ArrayList<>();
            if (Double.isNaN(Evidence.before(getLatency, cause.start()))) {
                unknown.add(new Reason(
                        new Text("whether the object store got slower", "对象存储是否变慢"),
                        format(
                                "nothing was read from it before the misses; now a GET takes %1$s",
                                "未命中之前没有从它读取；现在 GET 平均 %1$s",
                                Say.duration(getLatency.median(effect.start(), effect.end())))));
            }
            if (!new MountFacts(window).configKnown()) {
                unknown.add(Sentences.configUnknown());
            }
            Sentences.nodeUnknown(window).ifPresent(unknown::add);
            if (!window.series(Signal.SAMPLES).known()) {
                unknown.add(Sentences.samplesUnknown());
            }
            return unknown;
        }

        private List<String> subCauses(Change cause, Change effect) {
            double limit = new MountFacts(window).cacheBytes();
            double cached = window.series(Signal.CACHED_BYTES).max(cause.start(), effect.end());
            double evicted = evicts.max(cause.start(), effect.end());
            if (window.series(Signal.CACHE_DROPS).max(cause.start(), effect.end()) >= 1) {
                return List.of("cache-fill-drops");
            }
            boolean full = Double.isNaN(limit) || cached >= 0.9 * limit;
            return evicted > 0 && full ? List.of("cache-capacity-thrash") : List.of();
        }

        private List<Remedy> remedies(Change cause, Change effect) {
            MountFacts facts = new MountFacts(window);
            List<Remedy> remedies = new ArrayList<>();
            double ratio = missRatio.median(cause.start(), effect.end());
            boolean evicting = evicts.max(cause.start(), effect.end()) > 0;
            double cached = window.series(Signal.CACHED_BYTES).latest();
            double stepSeconds = window.axis().stepMillis() / 1e3;
            double missed = 0;
            for (int i = cause.start(); i < window.size(); i++) {
                missed += orZero(miss.at(i)) * stepSeconds;
            }
            Text verify = new Text(
                    "misses fall by 90 % at the same phase and utilisation stays up for two epochs",
                    "同一阶段未命中下降 90 %，且两轮内利用率不再下降");
            if (evicting) {
                remedies.add(CacheRemedies.size(facts, cached, missed, ratio, verify));
            }
            remedies.add(CacheRemedies.warmup(facts, evicting, ratio, verify));
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Read the same shard on the same node in every epoch.", "每轮让同一节点读取同一分片。"),
                    "",
                    format(
                            "the working set of a node shrinks to its shard; misses %1$s → near 0",
                            "单节点工作集缩小为其分片；未命中 %1$s → 接近 0", Say.percent(ratio)),
                    new Text("less shuffling between nodes", "节点间打乱程度降低"),
                    verify));
            remedies.add(CacheRemedies.NO_PREFETCH);
            remedies.add(Remedy.doNot(new Text(
                    "Do not set --free-space-ratio to 0: the disk fills up and staging fails.",
                    "不要把 --free-space-ratio 设为 0：缓存盘写满后暂存会失败。")));
            return remedies;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
