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

/** A limit that somebody set is reached: the rate goes flat below it, and whoever reads or writes waits in the client. */
final class BandwidthCapPlateau implements Rule {
    private static final String ID = "bandwidth-cap-plateau";
    private static final Bound SUSTAINED = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound NEAR = new Bound(ID, "near", 0.75, Unit.RATIO);
    private static final Bound FLAT = new Bound(ID, "flat", 0.05, Unit.RATIO);
    private static final Bound BUSY_SLOTS = new Bound(ID, "busy-slots", 0.8, Unit.RATIO);
    private static final Bound READS_WAITING = new Bound(ID, "reads-waiting", 1, Unit.IN_FLIGHT);
    /** Of the busy slots: those that talk to the store rather than wait for the limiter. */
    private static final Bound TALKING = new Bound(ID, "talking", 0.2, Unit.RATIO);
    /** Bytes are counted a block at a time: two steps of one rate may differ by one. */
    private static final double BLOCK = 4 << 20;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("A configured bandwidth limit is reached", "达到所配置的带宽上限"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.GET_BYTES, Signal.PUT_BYTES));

    /** What is limited: each has a limit and an option of its own. */
    private enum Way {
        UPLOAD(Signal.PUT_BYTES, Facts.UPLOAD_LIMIT_BYTES, "--upload-limit", new Text("upload", "上传")),
        DOWNLOAD(Signal.GET_BYTES, Facts.DOWNLOAD_LIMIT_BYTES, "--download-limit", new Text("download", "下载"));

        private final Signal rate;
        private final String limit;
        private final String option;
        private final Text name;

        Way(Signal rate, String limit, String option, Text name) {
            this.rate = rate;
            this.limit = limit;
            this.option = option;
            this.name = name;
        }

        private Text says(String en, String zh, Object... numbers) {
            return format(en.replace("{way}", name.en()), zh.replace("{way}", name.zh()), numbers);
        }
    }

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(SUSTAINED, NEAR, FLAT, BUSY_SLOTS, READS_WAITING, TALKING);
    }

    @Override
    public Verdict judge(Window window) {
        List<Reason> missing = new ArrayList<>();
        MountFacts facts = new MountFacts(window);
        if (!facts.known(Facts.UPLOAD_LIMIT_BYTES) || !facts.known(Facts.DOWNLOAD_LIMIT_BYTES)) {
            missing.add(Sentences.configUnknown());
        }
        if (facts.isSet(Facts.UPLOAD_LIMIT_BYTES)
                && !window.series(Signal.UPLOAD_SLOTS).known()) {
            missing.add(new Reason(
                    format("no %1$s", "缺少 %1$s", Signal.UPLOAD_SLOTS.id()),
                    new Text("JuiceFS exports it since 1.2", "JuiceFS 自 1.2 起导出")));
        }
        return missing.isEmpty() ? new Case(window, facts).verdict() : new Verdict.Unsure(missing);
    }

    /** One mount, judged once. */
    private static final class Case {
        private final Window window;
        private final MountFacts facts;
        private final Checks checks = new Checks();
        private final int from;

        Case(Window window, MountFacts facts) {
            this.window = window;
            this.facts = facts;
            from = window.size() - window.steps(SUSTAINED);
        }

        Verdict verdict() {
            boolean upload = reached(Way.UPLOAD, uploadsWait());
            boolean download = reached(Way.DOWNLOAD, readsWait());
            if (!upload && !download) {
                return checks.quiet();
            }
            return new Verdict.Found(finding(upload ? Way.UPLOAD : Way.DOWNLOAD));
        }

        private boolean reached(Way way, boolean waiting) {
            double limit = facts.setting(way.limit);
            double mean = mean(way);
            double spread = spread(way);
            double allowed = window.bound(FLAT) * mean + BLOCK / (window.axis().stepMillis() / 1e3);
            boolean set =
                    checks.add(way.says("the {way} limit is set", "设置了{way}限速"), Say.rate(limit), "> 0", limit > 0);
            boolean near = checks.add(
                    way.says("{way} for eight steps, of the limit", "连续八步的{way}占限速"),
                    set ? Say.percent(mean / limit) : "–",
                    Say.percent(window.bound(NEAR)) + " – 100 %",
                    set && mean >= window.bound(NEAR) * limit && mean <= limit);
            boolean flat = checks.add(
                    way.says("the {way} is flat: its standard deviation", "{way}平稳：标准差"),
                    Say.rate(spread),
                    "≤ " + Say.rate(allowed),
                    spread <= allowed);
            return set && near && flat && waiting;
        }

        private boolean uploadsWait() {
            double slots = least(Signal.UPLOAD_SLOTS);
            double most = facts.setting(Facts.MAX_UPLOADS);
            return checks.add(
                    new Text("upload slots in use throughout", "始终占用的上传槽"),
                    Say.number(slots) + " / " + Say.number(most),
                    "≥ " + Say.percent(window.bound(BUSY_SLOTS)),
                    slots >= window.bound(BUSY_SLOTS) * most);
        }

        private boolean readsWait() {
            double waiting = least(Signal.READ_SECONDS);
            return checks.add(
                    new Text("reads under way throughout", "始终在途的读请求"),
                    Say.number(waiting),
                    "≥ " + Say.number(window.bound(READS_WAITING)),
                    waiting >= window.bound(READS_WAITING));
        }

        private double least(Signal signal) {
            return window.series(signal).throughout(from, window.size());
        }

        /** NaN unless every step is known: a plateau with holes is none. */
        private double mean(Way way) {
            double sum = 0;
            for (int i = from; i < window.size(); i++) {
                sum += i < 0 ? Double.NaN : window.series(way.rate).at(i);
            }
            return sum / (window.size() - from);
        }

        private double spread(Way way) {
            double mean = mean(way);
            double squares = 0;
            for (int i = from; i < window.size(); i++) {
                squares += i < 0 ? Double.NaN : Math.pow(window.series(way.rate).at(i) - mean, 2);
            }
            return Math.sqrt(squares / (window.size() - from));
        }

        private Finding finding(Way way) {
            double limit = facts.setting(way.limit);
            double slots = window.series(Signal.UPLOAD_SLOTS).mean(from, window.size());
            double talking = window.series(Signal.PUT_SECONDS).mean(from, window.size());
            boolean limiter = way == Way.UPLOAD && talking < window.bound(TALKING) * slots;
            List<Reason> ruledOut = new ArrayList<>();
            if (limiter) {
                ruledOut.add(new Reason(
                        new Text("a slow store", "对象存储慢"),
                        format(
                                "%1$s slots are taken, but only %2$s requests are under way",
                                "占用 %1$s 个槽，但仅 %2$s 个请求在途", Say.number(slots), Say.number(talking))));
            }
            return new Finding(
                    Severity.S3,
                    limiter ? Confidence.CONFIRMED : Confidence.LIKELY,
                    limiter
                            ? Text.same("")
                            : new Text(
                                    "Waiting for the limit is not counted apart from waiting for the store.",
                                    "等待限速与等待对象存储未分开计数。"),
                    way.says(
                            "The {way} stays flat at %1$s, %2$s of the limit of %3$s that is set for this mount, while more is"
                                    + " wanted.",
                            "{way}稳定在 %1$s，为该挂载点限速 %3$s 的 %2$s，而需求更大。",
                            Say.rate(mean(way)),
                            Say.percent(mean(way) / limit),
                            Say.rate(limit)),
                    new Text(
                            "Time in the limiter is in no request's latency: the store looks fast.",
                            "限速等待不计入任何请求的延迟：对象存储看似很快。"),
                    List.of(),
                    null,
                    List.of(
                            Evidence.rise(window.series(way.rate), from, window.size()),
                            Evidence.rise(window.series(Signal.UPLOAD_SLOTS), from, window.size()),
                            Evidence.rise(window.series(Signal.PUT_SECONDS), from, window.size()),
                            Evidence.rise(window.series(Signal.READ_SECONDS), from, window.size())),
                    ruledOut,
                    List.of(new Reason(
                            new Text("why the limit was set", "为何设置限速"),
                            new Text("ask who set it; no exporter tells", "请询问设置者，没有指标说明"))),
                    List.of(),
                    remedies(way, limit),
                    List.of(),
                    checks.all());
        }

        private List<Remedy> remedies(Way way, double limit) {
            Text verify = way.says("the {way} exceeds %1$s", "{way}超过 %1$s", Say.rate(limit));
            Text effect = way.says(
                    "{way}: from %1$s up to what network and store give",
                    "{way}：由 %1$s 升至网络与对象存储所能及", Say.rate(mean(way)));
            Text risk = new Text(
                    "what the limit protected comes back: uploads against reads, or the neighbours' share of the network.",
                    "限速所保护的问题会回来：上传与读取相争，或挤占邻居带宽。");
            return List.of(
                    new Remedy(
                            Remedy.Kind.DO,
                            new Text("Lift the limit where the volume sets it.", "若由卷设置，在卷上取消限速。"),
                            "juicefs config " + facts.metaUrl() + " " + way.option + " 0",
                            effect,
                            risk.plus(
                                    new Text("Without effect where the mount has the option itself.", "若挂载点自带该参数则无效。")),
                            verify),
                    new Remedy(
                            Remedy.Kind.DO,
                            format(
                                    "Where the mount has %1$s itself: mount again without it, its other options as now.",
                                    "若挂载参数带有 %1$s：去掉后重新挂载，其余参数照旧。", way.option),
                            "",
                            effect,
                            risk.plus(new Text("A remount interrupts open files.", "重新挂载会中断已打开的文件。")),
                            verify),
                    Remedy.doNot(new Text(
                            "Do not raise concurrency or read-ahead below a limit: more requests wait for the same bytes.",
                            "限速之下不要提高并发或预读：只会有更多请求等待同样的带宽。")));
        }
    }
}
