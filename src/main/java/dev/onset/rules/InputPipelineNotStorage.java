package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Change;
import dev.onset.timeline.Mask;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/**
 * Accelerators idle although nobody waits inside a mount: the storage is innocent. If storage starved the job, at least
 * one reader would be waiting in it for as long as the accelerators idle.
 */
final class InputPipelineNotStorage implements Rule {
    private static final int SUSTAINED = 3;
    private static final double COST_STEADY = 1.5;
    private static final double QUICK_READ_SECONDS = 2e-3;
    private static final double SLOW_PING_SECONDS = 0.020;
    private static final double FULL_CPU = 0.9;

    private static final RuleCard CARD = new RuleCard(
            "input-pipeline-not-storage",
            new Text("Accelerators idle, storage innocent", "瓶颈不在存储"),
            ScopeKind.JOB,
            Severity.S3,
            RuleCard.Family.TRAINING,
            List.of(Signal.UTILISATION, Signal.FUSE_SECONDS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** One job with all its mounts, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final List<Scope> mounts;
        private final Series use;

        Case(Window window) {
            this.window = window;
            mounts = window.connected(ScopeKind.MOUNT);
            use = window.series(Signal.UTILISATION);
        }

        Verdict verdict() {
            List<Change> drops = UtilisationDrops.in(window);
            Change drop = drops.isEmpty() ? null : drops.get(drops.size() - 1);
            boolean lasting = drop != null
                    && drop.goingOn()
                    && drop.steps() >= window.axis().steps(SUSTAINED);
            if (!checks.add(
                            new Text("utilisation is down for three steps", "利用率已连续三步偏低"),
                            drop == null ? "0" : drop.steps() + "",
                            "≥ " + window.axis().steps(SUSTAINED),
                            lasting)
                    || drop == null) {
                return checks.quiet();
            }
            int from = drop.start() + 1;
            int to = drop.end();
            if (hanging(from, to)) {
                return new Verdict.Unsure(List.of(new Reason(
                        new Text("whether the mount hangs", "挂载点是否卡死"),
                        new Text(
                                "files are open and no operation finishes: a pause and a hang look the same to counters",
                                "有打开的文件但没有操作完成：从计数器看暂停与卡死无法区分"))));
            }
            double idle = 1 - use.median(from, to) / drop.base();
            double waiting = waiting(from, to);
            double dataWait = window.series(Signal.DATA_WAIT).median(from, to);
            boolean fed = dataWait < 0.1 * idle;
            boolean nobodyWaits = checks.add(
                    new Text("nobody waits inside the mounts", "挂载点内无人等待"),
                    Say.number(waiting),
                    "< " + Say.number(0.5 * idle),
                    waiting < 0.5 * idle);
            boolean cheap = checks.add(
                    new Text("a byte costs no more waiting than before, or reads are quick", "每字节等待未增加，或读取很快"),
                    Say.duration(readLatency(from, to)),
                    "< " + Say.duration(QUICK_READ_SECONDS),
                    costSteady(drop, from, to) || readLatency(from, to) < QUICK_READ_SECONDS);
            boolean metadata = checks.add(
                    new Text("Redis answers as usual", "Redis 应答正常"),
                    Say.duration(window.series(Signal.RTT_MAX).median(from, to)),
                    "< " + Say.duration(SLOW_PING_SECONDS),
                    !(window.series(Signal.RTT_MAX).median(from, to) >= SLOW_PING_SECONDS));
            boolean writing = saving(from, to);
            boolean innocent = (nobodyWaits && cheap && metadata && !writing) || (fed && !writing);
            if (!Double.isNaN(dataWait)) {
                checks.add(
                        new Text("the loop itself says that it waits for data", "训练循环自述等待数据"),
                        Say.number(dataWait) + " s/s",
                        "any",
                        true);
            }
            return innocent ? new Verdict.Found(finding(drop, from, to, waiting, fed)) : checks.quiet();
        }

        /** Seconds per second that operations of all mounts spent: the number of callers that wait at a time. */
        private double waiting(int from, int to) {
            double waiting = 0;
            for (Scope mount : mounts) {
                waiting += orZero(window.series(mount, Signal.FUSE_SECONDS, "").median(from, to));
            }
            return waiting;
        }

        private double readLatency(int from, int to) {
            double slowest = 0;
            for (Scope mount : mounts) {
                slowest = Math.max(
                        slowest,
                        orZero(window.series(mount, Signal.READ_LATENCY, "").median(from, to)));
            }
            return slowest;
        }

        private boolean costSteady(Change drop, int from, int to) {
            for (Scope mount : mounts) {
                Series cost = window.series(mount, Signal.READ_COST, "");
                double before = Evidence.before(cost, drop.start());
                double now = cost.median(from, to);
                if (!Double.isNaN(now) && now > COST_STEADY * before) {
                    return false;
                }
            }
            return true;
        }

        /** Trainers that wait in write, flush or fsync are stopped by a checkpoint, not by their own loop. */
        private boolean saving(int from, int to) {
            double writing = 0;
            for (Scope mount : mounts) {
                writing += orZero(window.series(mount, Signal.WRITE_SECONDS, "").median(from, to));
            }
            boolean saving = writing >= 0.3;
            checks.add(new Text("nobody waits for a write", "无人等待写入"), Say.number(writing), "< 0.3", !saving);
            return saving;
        }

        /** Counters move when an operation finishes: with open files and nothing finishing, nothing can be said. */
        private boolean hanging(int from, int to) {
            for (Scope mount : mounts) {
                boolean still = window.series(mount, Signal.READS, "").max(from, to) == 0
                        && window.series(mount, Signal.FUSE_WRITE_BYTES, "").max(from, to) == 0;
                double open = window.series(mount, Signal.OPEN_HANDLES, "").min(from, to);
                boolean loopWaits = !(window.series(Signal.DATA_WAIT).median(from, to) < 0.1);
                if (still
                        && open > 0
                        && loopWaits
                        && window.series(Signal.PHASE_EVAL).latest() != 1) {
                    return true;
                }
            }
            return false;
        }

        private Finding finding(Change drop, int from, int to, double waiting, boolean fed) {
            boolean noSamples = window.series(Signal.SAMPLES).median(from, to) == 0;
            boolean pause = fed || noSamples || window.maskedShare(from, to, Mask.EVAL) > 0.5;
            double cpu = window.series(Signal.CPU_BUSY).median(from, to);
            return new Finding(
                    pause ? Severity.S4 : Severity.S3,
                    Confidence.LIKELY,
                    new Text(
                            "Exoneration by counters: what the job does instead is outside their sight.",
                            "仅凭计数器排除存储；作业内部在做什么看不到。"),
                    pause ? pauseSentence(drop, waiting, fed) : busySentence(drop, waiting, cpu, from, to),
                    Text.same(""),
                    Sentences.inTimeOrder(drop),
                    null,
                    lanes(drop),
                    ruledOut(from, to, waiting),
                    unknown(),
                    List.of(),
                    remedies(pause, cpu),
                    pause ? List.of() : List.of(Sentences.loss(window, drop)),
                    checks.all());
        }

        private static Text pauseSentence(Change drop, double waiting, boolean fed) {
            return format(
                    fed
                            ? "Utilisation fell from %1$s to %2$s and the loop waits for no data: an evaluation or a pause, not"
                                    + " the storage."
                            : "Utilisation fell from %1$s to %2$s and the job asks for no data (%3$s callers wait in the mount):"
                                    + " an evaluation or a pause, not the storage.",
                    fed
                            ? "利用率由 %1$s 降至 %2$s，且训练循环并未等待数据：是评估或暂停，与存储无关。"
                            : "利用率由 %1$s 降至 %2$s，作业没有读取数据（挂载点内等待者 %3$s 个）：是评估或暂停，与存储无关。",
                    Say.percent(drop.base()),
                    Say.percent(drop.extreme()),
                    Say.number(waiting));
        }

        private Text busySentence(Change drop, double waiting, double cpu, int from, int to) {
            return format(
                    "Utilisation fell from %1$s to %2$s, yet only %3$s callers wait in the mount at a time and a read takes %4$s:"
                            + " the input pipeline is the limit, not the storage (host CPU %5$s busy).",
                    "利用率由 %1$s 降至 %2$s，但挂载点内平均只有 %3$s 个等待者、单次读取 %4$s：瓶颈在数据处理而非存储（主机 CPU 忙 %5$s）。",
                    Say.percent(drop.base()),
                    Say.percent(use.median(from, to)),
                    Say.number(waiting),
                    Say.duration(readLatency(from, to)),
                    Say.percent(cpu));
        }

        private List<Lane> lanes(Change drop) {
            int end = drop.end();
            List<Lane> lanes = new ArrayList<>();
            lanes.add(Evidence.fall(use, drop.start(), end));
            lanes.add(Evidence.fall(window.series(Signal.SAMPLES), drop.start(), end));
            if (!mounts.isEmpty()) {
                Scope mount = mounts.get(0);
                lanes.add(Evidence.rise(window.series(mount, Signal.FUSE_SECONDS, ""), drop.start(), end));
                lanes.add(Evidence.rise(window.series(mount, Signal.READ_LATENCY, ""), drop.start(), end));
                lanes.add(Evidence.rise(window.series(mount, Signal.MISS_RATIO, ""), drop.start(), end));
            }
            lanes.add(Evidence.rise(window.series(Signal.RTT_MAX), drop.start(), end));
            lanes.add(Evidence.rise(window.series(Signal.CPU_BUSY), drop.start(), end));
            return lanes;
        }

        private List<Reason> ruledOut(int from, int to, double waiting) {
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("reads that wait", "读取等待"),
                    format("%1$s callers at a time", "平均 %1$s 个等待者", Say.number(waiting))));
            for (Scope mount : mounts) {
                double ratio = window.series(mount, Signal.MISS_RATIO, "").median(from, to);
                ruledOut.add(new Reason(
                        new Text("cache misses", "缓存未命中"),
                        Double.isNaN(ratio)
                                ? new Text("nothing was read", "期间没有读取")
                                : format("%1$s of the bytes read", "占读取字节 %1$s", Say.percent(ratio))));
            }
            double rtt = window.series(Signal.RTT_MAX).median(from, to);
            if (!Double.isNaN(rtt)) {
                ruledOut.add(new Reason(
                        new Text("slow metadata", "元数据变慢"),
                        format("Redis answers within %1$s", "Redis 应答最长 %1$s", Say.duration(rtt))));
            }
            return ruledOut;
        }

        private List<Reason> unknown() {
            List<Reason> unknown = new ArrayList<>();
            Sentences.nodeUnknown(window).ifPresent(unknown::add);
            if (!window.series(Signal.SAMPLES).known()) {
                unknown.add(Sentences.samplesUnknown());
            }
            if (!window.series(Signal.RTT_MAX).known()) {
                unknown.add(new Reason(
                        new Text("the metadata engine", "元数据引擎"),
                        new Text("no Redis is probed in this group", "该组没有探测 Redis")));
            }
            return unknown;
        }

        private static List<Remedy> remedies(boolean pause, double cpu) {
            List<Remedy> remedies = new ArrayList<>();
            if (!pause) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        cpu >= FULL_CPU
                                ? new Text(
                                        "The host's CPUs are full: decode less per sample, on the accelerator, or ahead of time.",
                                        "主机 CPU 已满：减少单样本解码、放到加速器上或提前处理。")
                                : new Text(
                                        "Profile the loader; raise num_workers and prefetch_factor if a core is the limit.",
                                        "分析数据加载器；若受单核限制，提高 num_workers 和 prefetch_factor。"),
                        "py-spy top --pid PID_OF_THE_TRAINER",
                        new Text("shows where the loader spends its time", "显示加载器的时间花在哪里"),
                        new Text("more workers need memory and may push out page cache", "更多 worker 占用内存，可能挤掉页缓存"),
                        new Text("utilisation returns to its baseline", "利用率回到基线")));
            }
            remedies.add(Remedy.doNot(new Text("Do not change storage options for this finding.", "不要为此调整存储参数。")));
            return remedies;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
