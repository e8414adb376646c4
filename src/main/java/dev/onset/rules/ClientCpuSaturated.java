package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** The client has no CPU left: whatever it does takes longer, reads from the cache and metadata calls alike. */
final class ClientCpuSaturated implements Rule {
    private static final String ID = "client-cpu-saturated";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound FULL = new Bound(ID, "share-of-its-cores", 0.85, Unit.RATIO);
    private static final Bound DEARER = new Bound(ID, "cost-times-baseline", 2, Unit.RATIO);
    private static final Bound LEAST_CORES = new Bound(ID, "least-cores", 0.5, Unit.IN_FLIGHT);
    private static final Bound SLOWER = new Bound(ID, "latency-times-baseline", 1.5, Unit.RATIO);
    private static final Bound LAYERS = new Bound(ID, "slower-layers", 2, Unit.COUNT);
    private static final List<Signal> LATENCIES =
            List.of(Signal.READ_LATENCY, Signal.META_LATENCY, Signal.CACHE_READ_LATENCY);
    private static final double GIB = 1 << 30;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The JuiceFS client is out of CPU", "JuiceFS 客户端 CPU 打满"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.CLIENT_CPU));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, FULL, DEARER, LEAST_CORES, SLOWER, LAYERS);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        int from = Math.max(0, lately.from());
        Checks checks = new Checks();
        double cores = lately.least(Signal.CLIENT_CPU);
        double limit = ClientCpu.limit(window);
        double cost = cost(window, from, window.size());
        double costBefore = cost(window, 0, from);
        List<Signal> slower = LATENCIES.stream()
                .filter(latency -> times(window, latency, from) >= window.bound(SLOWER))
                .toList();
        boolean full = checks.add(
                new Text("share of its cores in each of the last steps", "最近每一步占可用核的比例"),
                Say.percent(cores / limit),
                "≥ " + Say.percent(window.bound(FULL)),
                lately.watched(Signal.CLIENT_CPU) && cores >= window.bound(FULL) * limit);
        boolean dearer = checks.add(
                new Text("CPU for each byte that passes, times its baseline", "每字节 CPU 开销相对基线"),
                Say.times(cost / costBefore),
                "≥ " + Say.times(window.bound(DEARER)) + ", ≥ " + Say.number(window.bound(LEAST_CORES)),
                cost >= window.bound(DEARER) * costBefore && cores >= window.bound(LEAST_CORES));
        // High use with as high a throughput is useful work: then nothing takes longer.
        boolean everything = checks.atLeast(
                new Text("layers that got slower: reads, metadata, cache", "变慢的层：读取、元数据、缓存"),
                slower.size(),
                window.bound(LAYERS),
                Say::number);
        if (!((full || dearer) && everything)) {
            return checks.quiet();
        }
        List<Lane> lanes = new ArrayList<>();
        lanes.add(lately.lane(Signal.CLIENT_CPU));
        slower.forEach(latency -> lanes.add(lately.lane(latency)));
        lanes.add(lately.lane(Signal.FUSE_READ_BYTES));
        lanes.add(lately.lane(Signal.CPU_BUSY));
        return new Verdict.Found(Finding.state(
                Severity.S2,
                full
                        ? Doubt.NONE
                        : Doubt.likely(new Text(
                                "It is dearer, not full: its own limit is not known to be reached.",
                                "开销变大但未打满：未见其达到自身上限。")),
                format(
                        "The client uses %1$s of %2$s cores, %3$s core-seconds for a GiB (%4$s before); %5$d of 3 unrelated"
                                + " latencies rose together.",
                        "客户端使用 %1$s / %2$s 核，每 GiB 耗 %3$s 核秒（之前 %4$s）；3 种互不相关的延迟中有 %5$d 种同时上升。",
                        Say.number(lately.median(Signal.CLIENT_CPU)),
                        Say.number(limit),
                        Say.number(cost * GIB),
                        Say.number(costBefore * GIB),
                        slower.size()),
                lanes,
                List.of(new Reason(
                        new Text("more work: useful use of the CPU", "工作量增加：CPU 用得其所"),
                        new Text("latencies of unrelated layers rose with it", "互不相关各层的延迟随之上升"))),
                List.of(new Reason(
                        new Text("throttling by a container's quota", "容器配额限流"),
                        new Text("container metrics are not read", "不读取容器指标"))),
                remedies(new MountFacts(window)),
                checks));
    }

    /** Core-seconds a byte; NaN where nothing passes. */
    private static double cost(Window window, int from, int to) {
        double read = window.series(Signal.FUSE_READ_BYTES).median(from, to);
        double written = window.series(Signal.FUSE_WRITE_BYTES).median(from, to);
        double bytes = read + (Double.isNaN(written) ? 0 : written);
        return bytes > 0 ? window.series(Signal.CLIENT_CPU).median(from, to) / bytes : Double.NaN;
    }

    private static double times(Window window, Signal latency, int from) {
        return window.series(latency).median(from, window.size())
                / window.series(latency).median(0, from);
    }

    private static List<Remedy> remedies(MountFacts facts) {
        Text verify = new Text("core-seconds a GiB and latencies are back", "每 GiB 核秒与延迟恢复");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("See what the client computes, before anything is changed.", "改动之前先看客户端在算什么。"),
                "juicefs debug " + facts.path(),
                new Text("compression, checksums, garbage collection and logs are told apart", "可区分压缩、校验、垃圾回收与日志"),
                new Text("a few per cent of CPU for half a minute", "半分钟内占几个百分点 CPU"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Give it more CPU: a larger quota of its container, fewer loader workers beside it.",
                        "给它更多 CPU：调高容器配额，或减少同机加载进程。"),
                "",
                new Text("latencies fall back as soon as it no longer waits for a core", "不再等核后延迟即恢复"),
                new Text("cores taken from the trainers", "占用训练进程的核"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not pin the client to one core, and do not renice it: it runs at a high priority already.",
                "不要把客户端绑到单核，也不要改 nice：它已是高优先级。")));
        return remedies;
    }
}
