package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Change;
import dev.onset.timeline.Series;
import dev.onset.timeline.Shift;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The store answers late although it is asked for no more than before; reads that miss wait, accelerators starve. */
final class ObjectStoreLatency implements Rule {
    private static final double LATENCY_RISE = 2;
    private static final double LATENCY_MORE_SECONDS = 0.020;
    private static final int SUSTAINED = 3;
    private static final int LEAD = 4;
    /** A mean of fewer answers is noise. A count and not a rate: a slow store lowers the rate itself. */
    private static final double LEAST_REQUESTS = 15;

    private static final double SAME = 1.3;
    private static final double EVERYTHING_SLOW = 2;
    private static final double LONG_TIMEOUT_NANOS = 30e9;

    private static final RuleCard CARD = new RuleCard(
            "object-store-latency",
            new Text("The object store got slow", "对象存储变慢"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.GETS));

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
        private final Series latency;
        private final Series gets;
        private final Series bytes;
        private final Series missRatio;
        private final Series readCost;
        private final Series use;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            latency = window.series(Signal.GET_LATENCY);
            gets = window.series(Signal.GETS);
            bytes = window.series(Signal.GET_BYTES);
            missRatio = window.series(Signal.MISS_RATIO);
            readCost = window.series(Signal.READ_COST);
            use = window.series(Signal.UTILISATION);
        }

        Verdict verdict() {
            List<Change> causes = Shift.rise(Signal.GET_LATENCY, LATENCY_MORE_SECONDS, LATENCY_RISE).in(window).stream()
                    .filter(this::lasting)
                    .toList();
            Change cause = causes.isEmpty() ? null : causes.get(causes.size() - 1);
            if (!checks.add(
                            new Text("a GET took at least twice as long for three steps", "GET 耗时至少两倍，持续三步"),
                            Say.duration(latency.latest()),
                            cause == null
                                    ? "≥ 2×, + " + Say.duration(LATENCY_MORE_SECONDS)
                                    : "≥ " + Say.duration(LATENCY_RISE * cause.base()),
                            cause != null)
                    || cause == null
                    || !theStore(cause)) {
                return checks.quiet();
            }
            Pairing pairing = Pairing.of(window, causes, UtilisationDrops.outsidePauses(window), LEAD);
            Pairing.Pair pair = pairing.latest();
            boolean followed = checks.add(
                    new Text("utilisation fell with it or within four steps", "利用率同步或在四步内下降"),
                    pairing.pairs().size() + "",
                    "≥ 1",
                    pair != null && recent(pair.effect()) && !pairing.contradicted());
            if (pair != null && followed && ReadsWait.holds(window, checks, pair)) {
                return new Verdict.Found(hurting(pairing, pair));
            }
            return recent(cause) ? new Verdict.Found(slow(cause)) : checks.quiet();
        }

        /** Counts slow steps: a change goes on for one good step before it is known to be over. */
        private boolean lasting(Change cause) {
            int slow = 0;
            for (int i = cause.start(); i < cause.end(); i++) {
                slow += latency.at(i) >= LATENCY_RISE * cause.base() ? 1 : 0;
            }
            return slow >= window.axis().steps(SUSTAINED)
                    && latency.median(cause.start(), cause.end()) >= cause.base() + LATENCY_MORE_SECONDS;
        }

        private boolean recent(Change change) {
            return change.goingOn() || change.end() >= window.size() - 1;
        }

        /** Neither more nor larger requests, nor a client that is slow in everything, explain it. */
        private boolean theStore(Change cause) {
            int from = cause.start();
            int to = cause.end();
            double seconds = window.axis().stepMillis() / 1e3;
            double before = Evidence.before(gets, from);
            double during = gets.median(from, to);
            boolean enough = checks.add(
                    new Text("enough requests for a mean", "请求数足以取均值"),
                    Say.number(Math.min(before, during) * seconds),
                    "≥ " + Say.number(LEAST_REQUESTS),
                    Math.min(before, during) * seconds >= LEAST_REQUESTS);
            boolean noMore = checks.add(
                    new Text("the store is asked no more often than before", "请求并未增多"),
                    Say.perSecond(during),
                    "≤ " + Say.perSecond(SAME * before),
                    during <= SAME * before);
            double size = size(from, to);
            double sizeBefore = size(from - window.axis().steps(12), from);
            boolean noLarger = checks.add(
                    new Text("a GET is no larger than before", "单次 GET 并未变大"),
                    Say.bytes(size),
                    "≤ " + Say.bytes(SAME * sizeBefore),
                    !(size > SAME * sizeBefore));
            double cache = times(Signal.CACHE_READ_LATENCY, from, to);
            double metadata = times(Signal.META_LATENCY, from, to);
            boolean client = (cache >= EVERYTHING_SLOW || Double.isNaN(cache)) && metadata >= EVERYTHING_SLOW;
            boolean alone = checks.add(
                    new Text("the client is not slow in everything", "客户端其他操作没有一起变慢"),
                    Say.times(cache) + ", " + Say.times(metadata),
                    "< " + Say.times(EVERYTHING_SLOW),
                    !client);
            return enough && noMore && noLarger && alone;
        }

        private double size(int from, int to) {
            return bytes.mean(from, to) / gets.mean(from, to);
        }

        private double times(Signal signal, int from, int to) {
            Series series = window.series(signal);
            return series.median(from, to) / Evidence.before(series, from);
        }

        private Finding hurting(Pairing pairing, Pairing.Pair pair) {
            Change cause = pair.cause();
            Change effect = pair.effect();
            Confidence confidence = pairing.confidence();
            Text summary = sentence(cause)
                    .plus(format(
                            pair.order() == Order.TOGETHER
                                    ? "Utilisation fell from %1$s to %2$s in the same step."
                                    : "Then utilisation fell from %1$s to %2$s.",
                            pair.order() == Order.TOGETHER ? "同一步内利用率由 %1$s 降至 %2$s。" : "随后利用率由 %1$s 降至 %2$s。",
                            Say.percent(effect.base()),
                            Say.percent(effect.extreme())));
            return new Finding(
                    Severity.S2,
                    confidence,
                    Sentences.whyNotSurer(window, pairing, confidence),
                    summary,
                    Sentences.repetition(pairing.repetition(), pair.order()),
                    Sentences.inTimeOrder(cause, effect),
                    pairing.repetition(),
                    lanes(cause, effect),
                    ruledOut(cause),
                    unknown(),
                    subCauses(cause),
                    remedies(cause),
                    Sentences.losses(window, pairing),
                    checks.all());
        }

        private Finding slow(Change cause) {
            return new Finding(
                    Severity.S3,
                    Confidence.LIKELY,
                    new Text("One slow stretch is measured; nothing is claimed to follow from it.", "只测得一段变慢，没有断言后果。"),
                    sentence(cause),
                    use.known()
                            ? new Text("No fall of utilisation is tied to it.", "没有与之对应的利用率下降。")
                            : new Text("Utilisation is not known.", "利用率未知。"),
                    Sentences.inTimeOrder(cause),
                    null,
                    lanes(cause, null),
                    ruledOut(cause),
                    unknown(),
                    subCauses(cause),
                    remedies(cause),
                    List.of(),
                    checks.all());
        }

        private Text sentence(Change cause) {
            return format(
                    "The object store answers a GET in %1$s instead of %2$s, although it is asked %3$s and was asked %4$s"
                            + " before.",
                    "对象存储的 GET 由 %2$s 变为 %1$s，而请求数是 %3$s，此前为 %4$s，并未增多。",
                    Say.duration(latency.median(cause.start(), cause.end())),
                    Say.duration(cause.base()),
                    Say.perSecond(gets.median(cause.start(), cause.end())),
                    Say.perSecond(Evidence.before(gets, cause.start())));
        }

        private List<Lane> lanes(Change cause, @Nullable Change effect) {
            int start = effect == null ? cause.start() : Math.min(cause.start(), effect.start());
            int end = effect == null ? cause.end() : Math.max(cause.end(), effect.end());
            List<Lane> lanes = new ArrayList<>();
            if (use.known()) {
                lanes.add(Evidence.fall(use, start, end));
            }
            lanes.add(Evidence.rise(latency, start, end));
            lanes.add(Evidence.fall(gets, start, end));
            lanes.add(Evidence.rise(window.series(Signal.OBJECT_ERRORS), start, end));
            lanes.add(Evidence.rise(window.series(Signal.PUT_LATENCY), start, end));
            lanes.add(Evidence.rise(readCost, start, end));
            lanes.add(Evidence.rise(missRatio, start, end));
            return lanes;
        }

        private List<Reason> ruledOut(Change cause) {
            int from = cause.start();
            int to = cause.end();
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("more load on the store", "对象存储负载增大"),
                    format(
                            "%1$s GETs, %2$s before",
                            "GET %1$s，此前 %2$s",
                            Say.perSecond(gets.median(from, to)),
                            Say.perSecond(Evidence.before(gets, from)))));
            ruledOut.add(new Reason(
                    new Text("larger requests", "请求变大"),
                    format(
                            "%1$s per GET, %2$s before",
                            "单次 GET %1$s，此前 %2$s",
                            Say.bytes(size(from, to)),
                            Say.bytes(size(from - window.axis().steps(12), from)))));
            double cache = times(Signal.CACHE_READ_LATENCY, from, to);
            if (cache < EVERYTHING_SLOW) {
                ruledOut.add(new Reason(
                        new Text("a client without CPU", "客户端缺 CPU"),
                        format("a cached block takes %1$s as long as before", "缓存块读取耗时为此前 %1$s", Say.times(cache))));
            }
            double ratio = missRatio.median(from, to);
            double ratioBefore = Evidence.before(missRatio, from);
            Series missed = window.series(Signal.MISS_BYTES);
            double rate = missed.median(from, to);
            double rateBefore = Evidence.before(missed, from);
            if (rate <= SAME * rateBefore) {
                ruledOut.add(new Reason(
                        new Text("more cache misses", "未命中增多"),
                        format(
                                "%1$s missed, %2$s before; of the bytes read %3$s, %4$s before",
                                "未命中 %1$s，此前 %2$s；占读取 %3$s，此前 %4$s",
                                Say.rate(rate),
                                Say.rate(rateBefore),
                                Say.percent(ratio),
                                Say.percent(ratioBefore))));
            }
            Series errors = window.series(Signal.OBJECT_ERRORS);
            if (errors.max(from - 1, to) == 0) {
                ruledOut.add(new Reason(
                        new Text("failing object requests", "对象请求出错重试"), new Text("no request failed", "没有失败请求")));
            }
            return ruledOut;
        }

        private List<Reason> unknown() {
            List<Reason> unknown = new ArrayList<>();
            unknown.add(new Reason(
                    new Text("whether the store or the way to it is slow", "是对象存储慢还是途中网络慢"),
                    new Text("the client times both together; measure from a second host", "客户端计时包含两者；请从另一台主机测一次")));
            Sentences.nodeUnknown(window).ifPresent(unknown::add);
            if (!use.known()) {
                unknown.add(new Reason(
                        new Text("whether training suffers", "训练是否受影响"),
                        new Text("no accelerator exporter in this group", "该组没有加速器指标")));
            }
            return unknown;
        }

        private List<String> subCauses(Change cause) {
            return window.series(Signal.OBJECT_ERRORS).median(cause.start(), cause.end()) > 0
                    ? List.of("object-store-throttling-errors")
                    : List.of();
        }

        private List<Remedy> remedies(Change cause) {
            double slow = latency.median(cause.start(), cause.end());
            Text verify = format(
                    "a GET takes at most %1$s again in steps without failed requests",
                    "在没有失败请求的步里 GET 回到 %1$s 以内", Say.duration(1.2 * cause.base()));
            List<Remedy> remedies = new ArrayList<>();
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Measure the store without JuiceFS, from this host and from another.",
                            "绕开 JuiceFS，在本机和另一台主机各测一次对象存储。"),
                    "ACCESS_KEY=… SECRET_KEY=… juicefs objbench --storage s3 -p 4 BUCKET-URL",
                    format(
                            "about %1$s on both hosts: the store; on one: its network",
                            "两台都约 %1$s 是对象存储的问题；仅一台则是该机网络", Say.duration(slow)),
                    new Text("adds load while it runs: keep the threads few", "运行时会加压：线程数要少"),
                    verify));
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Look at the store's disks, queues and request limits.", "检查对象存储的磁盘、队列和请求限额。"),
                    "",
                    format(
                            "a GET %1$s → about %2$s",
                            "GET %1$s → 约 %2$s", Say.duration(slow), Say.duration(cause.base())),
                    new Text("none for the job", "对任务没有影响"),
                    verify));
            double ratio = Evidence.before(missRatio, cause.start());
            if (ratio >= ReadsWait.LEAST_MISS_RATIO) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text(
                                "When it has recovered, warm the data set, so that a slow store matters less.",
                                "恢复后预热数据集，降低对对象存储的依赖。"),
                        "juicefs warmup -p 10 " + facts.path(),
                        format(
                                "misses %1$s → under 2 %%, if the cache holds the data set",
                                "若缓存装得下数据集，未命中 %1$s → 低于 2 %%", Say.percent(ratio)),
                        new Text("loads the store: not before it has recovered", "会给对象存储加压：恢复前不要执行"),
                        verify));
            }
            if (slow >= 1 && !(facts.setting(Facts.GET_TIMEOUT_NANOS) <= LONG_TIMEOUT_NANOS)) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Give up hanging requests sooner.", "更早放弃卡住的请求。"),
                        "juicefs mount -d --get-timeout 30 " + facts.metaUrl() + " " + facts.path(),
                        new Text("the longest wait of one attempt: 60 s → 30 s", "单次尝试最长等待：60 s → 30 s"),
                        new Text(
                                "more retries on a store that is loaded already; a remount with its other options as now",
                                "对已有压力的对象存储产生更多重试；需重挂，其余参数照旧"),
                        verify));
            }
            remedies.add(Remedy.doNot(new Text(
                    "Do not ask a slow store for more at once (--max-uploads, --prefetch, more workers): its queue gets longer.",
                    "不要对已变慢的对象存储提高并发（--max-uploads、--prefetch、更多 worker）：只会让队列更长。")));
            return remedies;
        }
    }
}
