package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Statistics;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** All upload slots wait for a store that answers as fast as ever, and writers wait for a slot. */
final class UploadConcurrencyLimited implements Rule {
    private static final String ID = "upload-concurrency-limited";
    private static final Bound SUSTAINED = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound BUSY = new Bound(ID, "busy", 0.85, Unit.RATIO);
    private static final Bound SAME_LATENCY = new Bound(ID, "same-latency", 1.3, Unit.RATIO);
    private static final Bound CALM = new Bound(ID, "calm", 0.5, Unit.RATIO);
    private static final Bound CALM_STEPS = new Bound(ID, "calm-steps", 4, Unit.COUNT);
    private static final Bound NETWORK = new Bound(ID, "network", 0.7, Unit.RATIO);
    private static final Bound WRITES_WAITING = new Bound(ID, "writes-waiting", 1, Unit.IN_FLIGHT);
    private static final double MORE = 2;
    /** A slot holds a block of 4 MiB, and a compressed copy of it. */
    private static final double SLOT_MIB = 8;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("All upload slots are busy", "上传并发已用满"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.PUT_SECONDS, Signal.WRITE_SECONDS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(SUSTAINED, BUSY, SAME_LATENCY, CALM, CALM_STEPS, NETWORK, WRITES_WAITING);
    }

    @Override
    public Verdict judge(Window window) {
        List<Reason> missing = new ArrayList<>();
        MountFacts facts = new MountFacts(window);
        if (!facts.isSet(Facts.MAX_UPLOADS)) {
            missing.add(Sentences.configUnknown());
        }
        return missing.isEmpty() ? new Case(window, facts).verdict() : new Verdict.Unsure(missing);
    }

    /** One mount, judged once. */
    private static final class Case {
        private final Window window;
        private final MountFacts facts;
        private final Checks checks = new Checks();
        private final int from;
        private final double slots;
        private final Series uploading;
        private final double usual;
        private final double latency;
        private final double network;

        Case(Window window, MountFacts facts) {
            this.window = window;
            this.facts = facts;
            from = window.size() - window.steps(SUSTAINED);
            slots = facts.setting(Facts.MAX_UPLOADS);
            uploading = window.series(Signal.PUT_SECONDS);
            usual = usualLatency();
            latency = window.series(Signal.PUT_LATENCY).median(from, window.size());
            network = network();
        }

        Verdict verdict() {
            double busy = uploading.throughout(from, window.size()) / slots;
            double waiting = window.series(Signal.WRITE_SECONDS).throughout(from, window.size());
            boolean full = checks.add(
                    new Text("upload slots that talk to the store, for four steps", "连续四步与对象存储通信的上传槽"),
                    Say.percent(busy),
                    "≥ " + Say.percent(window.bound(BUSY)),
                    busy >= window.bound(BUSY));
            boolean waits = checks.add(
                    new Text("writes under way throughout", "始终在途的写请求"),
                    Say.number(waiting),
                    "≥ " + Say.number(window.bound(WRITES_WAITING)),
                    waiting >= window.bound(WRITES_WAITING));
            boolean fast = checks.add(
                    new Text("an upload takes as long as with half the slots busy", "单次上传耗时与半数槽忙时相同"),
                    Say.times(latency / usual),
                    "≤ " + Say.times(window.bound(SAME_LATENCY)),
                    !(latency > window.bound(SAME_LATENCY) * usual));
            boolean room = checks.add(
                    new Text("the busiest network interface", "最忙的网卡"),
                    Say.percent(network),
                    "< " + Say.percent(window.bound(NETWORK)),
                    !(network >= window.bound(NETWORK)));
            return full && waits && fast && room ? new Verdict.Found(finding()) : checks.quiet();
        }

        /** While no more than half of the slots were busy; NaN when that was hardly ever the case. */
        private double usualLatency() {
            Series each = window.series(Signal.PUT_LATENCY);
            List<Double> calm = new ArrayList<>();
            for (int i = 0; i < from; i++) {
                if (uploading.at(i) <= window.bound(CALM) * slots && each.present(i)) {
                    calm.add(each.at(i));
                }
            }
            return calm.size() < window.steps(CALM_STEPS)
                    ? Double.NaN
                    : Statistics.median(
                            calm.stream().mapToDouble(Double::doubleValue).toArray());
        }

        private double network() {
            double most = Double.NaN;
            for (String part : window.parts(Signal.NET_SPEED)) {
                double speed = window.series(Signal.NET_SPEED, part).latest();
                double share = window.series(Signal.NET_SENT, part).mean(from, window.size()) / speed;
                most = speed > 0 && !(share <= most) ? share : most;
            }
            return most;
        }

        private Finding finding() {
            Series bytes = window.series(Signal.PUT_BYTES);
            return new Finding(
                    Severity.S3,
                    Double.isNaN(usual) ? Confidence.POSSIBLE : Confidence.LIKELY,
                    Double.isNaN(usual)
                            ? new Text(
                                    "It was never calm enough to tell whether the store is slower under this load.",
                                    "一直繁忙，无法得知该负载下对象存储是否变慢。")
                            : new Text("Whether more slots bring more is known only once tried.", "更多槽是否有用，试过才知。"),
                    format(
                            "%1$s of %2$s upload slots are busy without a pause, each PUT takes %3$s, and %4$s writes wait.",
                            "%2$s 个上传槽中持续有 %1$s 个忙，每次 PUT 耗时 %3$s，%4$s 个写请求在等待。",
                            Say.number(uploading.mean(from, window.size())),
                            Say.number(slots),
                            Say.duration(latency),
                            Say.number(window.series(Signal.WRITE_SECONDS).mean(from, window.size()))),
                    Text.same(""),
                    List.of(),
                    null,
                    List.of(
                            Evidence.rise(uploading, from, window.size()),
                            Evidence.rise(bytes, from, window.size()),
                            Evidence.rise(window.series(Signal.PUT_LATENCY), from, window.size()),
                            Evidence.rise(window.series(Signal.WRITE_SECONDS), from, window.size()),
                            Evidence.rise(window.series(Signal.BUFFER_BYTES), from, window.size())),
                    ruledOut(),
                    unknown(),
                    List.of(),
                    remedies(bytes.mean(from, window.size())),
                    List.of(),
                    checks.all());
        }

        private List<Reason> ruledOut() {
            List<Reason> ruledOut = new ArrayList<>();
            if (!Double.isNaN(usual)) {
                ruledOut.add(new Reason(
                        new Text("a slower store", "对象存储变慢"),
                        format(
                                "a PUT takes %1$s, and took %2$s with few under way",
                                "PUT 耗时 %1$s，请求少时为 %2$s", Say.duration(latency), Say.duration(usual))));
            }
            if (!Double.isNaN(network)) {
                ruledOut.add(new Reason(
                        new Text("a full network interface", "网卡已满"),
                        format("%1$s of its speed is sent", "发送占其速率 %1$s", Say.percent(network))));
            }
            return ruledOut;
        }

        private List<Reason> unknown() {
            return Double.isNaN(network)
                    ? List.of(new Reason(
                            new Text("whether the network is full", "网络是否已满"),
                            new Text(
                                    "needs a node exporter that knows the interface's speed",
                                    "需要能给出网卡速率的 node exporter")))
                    : List.of();
        }

        private List<Remedy> remedies(double bytes) {
            double more = MORE * slots;
            double buffer = Math.max(facts.setting(Facts.BUFFER_SIZE_BYTES) / (1 << 20), 0) * MORE;
            double mebibytes = Math.max(Double.isNaN(buffer) ? 0 : buffer, SLOT_MIB * more);
            return List.of(
                    new Remedy(
                            Remedy.Kind.DO,
                            new Text(
                                    "Mount again with twice the slots and the buffer for them, its other options as now.",
                                    "以双倍上传槽及相应缓冲区重新挂载，其余参数照旧。"),
                            "juicefs mount -d --max-uploads " + Say.number(more) + " --buffer-size "
                                    + Say.number(mebibytes) + " " + facts.metaUrl() + " " + facts.path(),
                            format(
                                    "upload %1$s → up to %2$s, if a PUT goes on taking %3$s",
                                    "上传 %1$s → 最高 %2$s，前提是 PUT 仍耗时 %3$s",
                                    Say.rate(bytes),
                                    Say.rate(MORE * bytes),
                                    Say.duration(latency)),
                            format(
                                    "up to %1$s MiB of memory; more load on the store, which may throttle; a remount interrupts"
                                            + " open files",
                                    "内存最多 %1$s MiB；对象存储压力增大，可能限流；重新挂载会中断已打开的文件", Say.number(mebibytes)),
                            new Text(
                                    "juicefs_object_request_data_bytes of PUT grows by 15 % at the same load",
                                    "同等负载下 PUT 的 juicefs_object_request_data_bytes 提高 15 %")),
                    Remedy.doNot(new Text(
                            "Do not go on doubling when the rate stops growing: then the store is the limit, and more slots make"
                                    + " each upload slower.",
                            "速率不再增长时不要继续加倍：此时瓶颈在对象存储，更多槽只会让每次上传更慢。")));
        }
    }
}
