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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests to the store fail; each is tried again after a growing pause, so that few errors make long waits. */
final class ObjectStoreThrottlingErrors implements Rule {
    private static final double ERROR_FLOOR = 0.2;
    private static final double ERROR_SHARE = 0.01;
    private static final int SUSTAINED = 3;
    private static final int LEAD = 4;
    private static final double NEARLY_ALL = 0.9;
    private static final int STEPS_TO_FIT = 5;
    private static final double GIB = 1 << 30;
    private static final double LATENCY_RISE = 2;
    private static final int FEW_UPLOADS = 10;

    private static final RuleCard CARD = new RuleCard(
            "object-store-throttling-errors",
            new Text("Requests to the object store fail", "对象存储请求出错或被限流"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.OBJECT_ERRORS));

    /** What sort of failing the numbers look like; the counter itself has neither method nor status. */
    private enum Kind {
        NEARLY_ALL(new Text(
                "Nearly all fail: the store is down, or it refuses the credentials or the clock of this host.",
                "几乎全部失败：对象存储不可用，或拒绝了凭据或本机时钟。")),
        UNDER_LOAD(new Text("They fail only when many are sent: a request limit.", "只在请求多时失败：符合请求限额。")),
        SOME(new Text("They do not depend on how many are sent.", "失败与请求多少无关。")),
        UNTOLD(new Text("Whether they depend on load cannot be told yet.", "是否与负载有关尚看不出。"));

        private final Text text;

        Kind(Text text) {
            this.text = text;
        }
    }

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
        private final Series errors;
        private final Series gets;
        private final Series puts;
        private final Series deletes;
        private final Series latency;
        private final Series use;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            errors = window.series(Signal.OBJECT_ERRORS);
            gets = window.series(Signal.GETS);
            puts = window.series(Signal.PUTS);
            deletes = window.series(Signal.DELETES);
            latency = window.series(Signal.GET_LATENCY);
            use = window.series(Signal.UTILISATION);
        }

        Verdict verdict() {
            int sustained = window.axis().steps(SUSTAINED);
            List<Change> causes =
                    Shift.rise(Signal.OBJECT_ERRORS, ERROR_FLOOR * window.floorScale(), LATENCY_RISE)
                            .in(window)
                            .stream()
                            .filter(cause -> bad(cause.start(), cause.end()) >= sustained)
                            .toList();
            Change cause = causes.isEmpty() ? null : causes.get(causes.size() - 1);
            int last = bad(window.size() - sustained, window.size());
            boolean goingOn = cause != null && recent(cause);
            if (!checks.add(
                    format(
                            "for three steps %1$s of the requests failed, and %2$s",
                            "连续三步有 %1$s 的请求失败，且不少于 %2$s",
                            Say.percent(ERROR_SHARE),
                            Say.perSecond(ERROR_FLOOR * window.floorScale())),
                    Say.percent(share(window.now())) + ", " + Say.perSecond(errors.latest()),
                    "≥ " + sustained,
                    goingOn || last >= sustained)) {
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
            return new Verdict.Found(failing(goingOn ? cause : null));
        }

        private boolean recent(Change change) {
            return change.goingOn() || change.end() >= window.size() - 1;
        }

        private double requests(int index) {
            return orZero(gets.at(index)) + orZero(puts.at(index)) + orZero(deletes.at(index));
        }

        /** A request counts when it ends, an error with each attempt: there can be more of these. */
        private double share(int index) {
            double failed = errors.at(index);
            return failed > 0 ? failed / Math.max(failed, requests(index)) : failed;
        }

        private int bad(int from, int to) {
            int bad = 0;
            for (int i = Math.max(0, from); i < to; i++) {
                bad += errors.at(i) >= ERROR_FLOOR * window.floorScale() && share(i) >= ERROR_SHARE ? 1 : 0;
            }
            return bad;
        }

        private Kind kind(int from, int to) {
            if (medianShare(from, to) >= NEARLY_ALL) {
                return Kind.NEARLY_ALL;
            }
            double[] clean = new double[window.size()];
            double[] failing = new double[window.size()];
            int cleanSteps = 0;
            int failingSteps = 0;
            for (int i = 0; i < window.size(); i++) {
                if (errors.at(i) > 0) {
                    failing[failingSteps++] = requests(i);
                } else if (errors.at(i) == 0 && requests(i) > 0) {
                    clean[cleanSteps++] = requests(i);
                }
            }
            if (cleanSteps < STEPS_TO_FIT || failingSteps < STEPS_TO_FIT) {
                return Kind.UNTOLD;
            }
            Arrays.sort(clean, 0, cleanSteps);
            double usual = clean[cleanSteps / 2];
            long above = Arrays.stream(failing, 0, failingSteps)
                    .filter(requests -> requests > usual)
                    .count();
            return above >= NEARLY_ALL * failingSteps ? Kind.UNDER_LOAD : Kind.SOME;
        }

        private double medianShare(int from, int to) {
            double failed = errors.mean(from, to);
            double sent = orZero(gets.mean(from, to)) + orZero(puts.mean(from, to)) + orZero(deletes.mean(from, to));
            return failed / Math.max(failed, sent);
        }

        private Severity severity(int from, Severity otherwise) {
            boolean reachesApplication = window.series(Signal.IO_ERRORS).max(from, window.size()) > 0;
            boolean backlog = window.series(Signal.STAGING_BYTES).max(from, window.size()) >= GIB;
            return reachesApplication || backlog ? Severity.S1 : otherwise;
        }

        private Finding hurting(Pairing pairing, Pairing.Pair pair) {
            Change cause = pair.cause();
            Change effect = pair.effect();
            Confidence confidence = pairing.confidence();
            boolean together = pair.order() == Order.TOGETHER;
            Text summary = sentence(cause.start(), cause.end())
                    .plus(format(
                            together
                                    ? "Utilisation fell from %1$s to %2$s in the same step."
                                    : "Then utilisation fell from %1$s to %2$s.",
                            together ? "同一步内利用率由 %1$s 降至 %2$s。" : "随后利用率由 %1$s 降至 %2$s。",
                            Say.percent(effect.base()),
                            Say.percent(effect.extreme())));
            return new Finding(
                    severity(cause.start(), Severity.S2),
                    confidence,
                    Sentences.whyNotSurer(window, pairing, confidence),
                    summary,
                    kind(cause.start(), cause.end())
                            .text
                            .plus(Sentences.repetition(pairing.repetition(), pair.order())),
                    Sentences.inTimeOrder(cause, effect),
                    pairing.repetition(),
                    lanes(Math.min(cause.start(), effect.start()), Math.max(cause.end(), effect.end())),
                    ruledOut(cause.start(), cause.end()),
                    unknown(),
                    subCauses(cause.start(), cause.end()),
                    remedies(kind(cause.start(), cause.end())),
                    Sentences.losses(window, pairing),
                    checks.all());
        }

        private Finding failing(@Nullable Change cause) {
            int from = cause == null ? window.size() - window.axis().steps(SUSTAINED) : cause.start();
            int to = cause == null ? window.size() : cause.end();
            return new Finding(
                    severity(from, Severity.S3),
                    Confidence.LIKELY,
                    new Text("The errors are counted; nothing is claimed to follow from them.", "错误来自计数；没有断言后果。"),
                    sentence(from, to),
                    kind(from, to).text,
                    cause == null ? List.of() : Sentences.inTimeOrder(cause),
                    null,
                    lanes(from, to),
                    ruledOut(from, to),
                    unknown(),
                    subCauses(from, to),
                    remedies(kind(from, to)),
                    List.of(),
                    checks.all());
        }

        private Text sentence(int from, int to) {
            return format(
                    "%1$s of the requests to the object store fail (%2$s) and are tried again after pauses.",
                    "对象存储请求有 %1$s 失败（%2$s），客户端间隔后重试。",
                    Say.percent(medianShare(from, to)),
                    Say.perSecond(errors.mean(from, to)));
        }

        private List<Lane> lanes(int start, int end) {
            List<Lane> lanes = new ArrayList<>();
            if (use.known()) {
                lanes.add(Evidence.fall(use, start, end));
            }
            lanes.add(Evidence.rise(errors, start, end));
            lanes.add(Evidence.rise(gets, start, end));
            lanes.add(Evidence.rise(puts, start, end));
            lanes.add(Evidence.rise(latency, start, end));
            lanes.add(Evidence.rise(window.series(Signal.READ_COST), start, end));
            lanes.add(Evidence.rise(window.series(Signal.IO_ERRORS), start, end));
            return lanes;
        }

        private List<Reason> ruledOut(int from, int to) {
            List<Reason> ruledOut = new ArrayList<>();
            Series missed = window.series(Signal.MISS_BYTES);
            double rate = missed.median(from, to);
            double before = Evidence.before(missed, from);
            if (rate <= 1.3 * before) {
                ruledOut.add(new Reason(
                        new Text("more cache misses", "未命中增多"),
                        format("%1$s missed, %2$s before", "未命中 %1$s，此前 %2$s", Say.rate(rate), Say.rate(before))));
            }
            Series reached = window.series(Signal.IO_ERRORS);
            if (reached.max(from, to) == 0) {
                ruledOut.add(new Reason(
                        new Text("errors that reach the application", "应用收到错误"),
                        new Text("none: all were tried again with success", "没有：重试均成功")));
            }
            return ruledOut;
        }

        private List<Reason> unknown() {
            List<Reason> unknown = new ArrayList<>();
            unknown.add(new Reason(
                    new Text("which requests fail and with what status", "哪些请求失败、状态码是什么"),
                    new Text(
                            "the counter has neither: see the client's log (\"SlowDown\", \"RequestError\") or the store's metrics",
                            "该计数器两者都没有：请查客户端日志（“SlowDown”“RequestError”）或对象存储指标")));
            if (!use.known()) {
                unknown.add(new Reason(
                        new Text("whether training suffers", "训练是否受影响"),
                        new Text("no accelerator exporter in this group", "该组没有加速器指标")));
            }
            return unknown;
        }

        private List<String> subCauses(int from, int to) {
            List<String> sub = new ArrayList<>();
            if (latency.median(from, to) >= LATENCY_RISE * Evidence.before(latency, from)) {
                sub.add("object-store-latency");
            }
            return sub;
        }

        private List<Remedy> remedies(Kind kind) {
            Text verify = new Text("less than one request in 10,000 fails for an hour", "一小时内失败请求低于万分之一");
            List<Remedy> remedies = new ArrayList<>();
            if (kind == Kind.NEARLY_ALL) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text(
                                "See whether the store answers at all, and whether this host's clock and credentials are right.",
                                "确认对象存储能应答，并检查本机时钟与凭据。"),
                        "date -u && juicefs objbench --skip-functional-tests --storage s3 -p 1 BUCKET-URL",
                        new Text("names the status that the counter cannot", "给出计数器没有的状态码"),
                        new Text("a few test objects are written and removed", "会写入并删除少量测试对象"),
                        verify));
            } else {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text(
                                "Ask the store's operator for its request limit, and raise the bucket's if there is one.",
                                "向对象存储管理方确认请求限额，有则调高该桶的限额。"),
                        "",
                        format("failed requests %1$s → 0", "失败请求 %1$s → 0", Say.perSecond(errors.latest())),
                        new Text("none for the job", "对任务没有影响"),
                        verify));
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text(
                                "Let job starts and warm-ups not coincide; warm with few threads.",
                                "错开任务启动与预热，并以少量线程预热。"),
                        "juicefs warmup -p 10 " + facts.path(),
                        new Text("a fifth of the requests of the default (50 threads)", "请求并发为默认（50 线程）的五分之一"),
                        new Text("warming takes longer", "预热更久"),
                        verify));
                double uploads = facts.setting(Facts.MAX_UPLOADS);
                if (puts.latest() > 0 && !(uploads <= FEW_UPLOADS)) {
                    remedies.add(new Remedy(
                            Remedy.Kind.DO,
                            new Text("Send fewer uploads at once.", "减少同时上传数。"),
                            "juicefs mount -d --max-uploads " + FEW_UPLOADS + " " + facts.metaUrl() + " "
                                    + facts.path(),
                            format(
                                    "uploads at once: %1$s → %2$d",
                                    "同时上传：%1$s → %2$d",
                                    Double.isNaN(uploads) ? "20" : Say.number(uploads),
                                    FEW_UPLOADS),
                            new Text("saves take longer; a remount with its other options as now", "保存更久；需重挂，其余参数照旧"),
                            verify));
                }
                if (facts.mayHave(1, 4) && gets.latest() > 0) {
                    remedies.add(new Remedy(
                            Remedy.Kind.DO,
                            new Text("Send fewer downloads at once.", "减少同时下载数。"),
                            "juicefs mount -d --max-downloads 50 " + facts.metaUrl() + " " + facts.path(),
                            new Text("downloads at once: 200 → 50", "同时下载：200 → 50"),
                            new Text(
                                    "a lower peak; a remount with its other options as now; JuiceFS 1.4 or newer",
                                    "峰值降低；需重挂，其余参数照旧；需 1.4 及以上"),
                            verify));
                }
            }
            remedies.add(Remedy.doNot(new Text(
                    "Do not just raise --io-retries: it hides the errors and makes the waits longer.",
                    "不要只调大 --io-retries：那只会掩盖错误、拉长等待。")));
            return remedies;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
