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

/** The client's buffer is full: writers are made to sleep, read-ahead stops, and reads wait for uploads. */
final class BufferSaturation implements Rule {
    private static final String ID = "buffer-saturation";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 3, Unit.COUNT);
    private static final Bound FULL = new Bound(ID, "full", 0.85, Unit.RATIO);
    private static final Bound LEAST = new Bound(ID, "least-bytes", 64 << 20, Unit.BYTES);
    private static final Bound SLOWER = new Bound(ID, "waiting-times-baseline", 2, Unit.RATIO);
    private static final Bound WRITERS = new Bound(ID, "share-held-by-writers", 0.60, Unit.RATIO);
    private static final double BUFFER_MIB = 1024;
    private static final int MORE_UPLOADS = 40;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The client's buffer is full", "客户端缓冲区打满"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.BUFFER_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, FULL, LEAST, SLOWER, WRITERS);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        double size = facts.setting(Facts.BUFFER_SIZE_BYTES);
        if (Double.isNaN(size)) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double used = lately.least(Signal.BUFFER_BYTES);
        double reading = lately.median(Signal.READ_BUFFER_BYTES);
        double writing = lately.median(Signal.BUFFER_BYTES) - (Double.isNaN(reading) ? 0 : reading);
        double reads = slower(window, lately, Signal.READ_LATENCY);
        double writes = slower(window, lately, Signal.WRITE_SECONDS);
        boolean full = checks.add(
                new Text("share of the buffer in use in each of the last steps", "最近每一步占用的缓冲区比例"),
                Say.percent(used / size),
                "≥ " + Say.percent(window.bound(FULL)) + ", ≥ " + Say.bytes(window.bound(LEAST)),
                lately.watched(Signal.BUFFER_BYTES)
                        && used >= window.bound(FULL) * size
                        && used >= window.bound(LEAST));
        // A buffer that is full while nobody waits longer is one that is put to use.
        boolean readsWait = checks.atLeast(
                new Text("a read takes, times its baseline", "读取耗时相对基线"), reads, window.bound(SLOWER), Say::times);
        boolean writesWait = checks.atLeast(
                new Text("waiting for writes, times its baseline", "写入等待相对基线"),
                writes,
                window.bound(SLOWER),
                Say::times);
        boolean writers = checks.atLeast(
                new Text("share of the buffer that waits for upload", "等待上传的缓冲区比例"),
                writing / size,
                window.bound(WRITERS),
                Say::percent);
        if (!(full && (readsWait || writesWait))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.likely(new Text(
                        "The buffer is full while requests wait; which came first is not tested.",
                        "缓冲区打满且请求在等待；未检验先后。")),
                format(
                        "%1$s of the %2$s buffer are in use, mostly by %3$s; %4$s now than before.",
                        "%2$s 缓冲区已用 %1$s，主要是%3$s；%4$s。",
                        Say.bytes(lately.median(Signal.BUFFER_BYTES)),
                        Say.bytes(size),
                        writers ? new Text("data that waits for upload", "等待上传的数据") : new Text("reading ahead", "预读"),
                        readsWait
                                ? format("a read takes %1$s as long", "一次读取耗时是之前的 %1$s", Say.times(reads))
                                : format("writers wait %1$s as much", "写入等待是之前的 %1$s", Say.times(writes))),
                List.of(
                        lately.lane(Signal.BUFFER_BYTES),
                        lately.lane(Signal.READ_BUFFER_BYTES),
                        lately.lane(Signal.READ_LATENCY),
                        lately.lane(Signal.WRITE_SECONDS),
                        lately.lane(Signal.PUT_SECONDS)),
                List.of(),
                Double.isNaN(reading)
                        ? List.of(new Reason(
                                new Text("how much of it holds read data", "其中读数据占多少"),
                                new Text("clients before 1.1 do not count it", "1.1 之前的客户端不统计")))
                        : List.of(),
                remedies(facts, size, writers),
                checks));
    }

    private static double slower(Window window, Lately lately, Signal signal) {
        double before = window.series(signal).median(0, Math.max(0, lately.from()));
        return before > 0 ? lately.median(signal) / before : Double.NaN;
    }

    private static List<Remedy> remedies(MountFacts facts, double size, boolean writers) {
        Text verify = new Text("less than 70 % of the buffer is used and nobody waits longer", "缓冲区占用低于 70 %，且等待恢复基线");
        List<Remedy> remedies = new ArrayList<>();
        if (writers && !(facts.setting(Facts.MAX_UPLOADS) >= MORE_UPLOADS)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Let uploads end sooner, if store and network have room.", "若对象存储与网络有余量，先加快上传。"),
                    facts.remount("--max-uploads " + MORE_UPLOADS),
                    new Text("up to twice as much uploaded; the buffer empties", "上传最多翻倍，缓冲区排空"),
                    new Text("a shared store may refuse requests", "共享对象存储可能限流"),
                    verify));
        }
        if (size < BUFFER_MIB * (1 << 20)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Enlarge the buffer.", "加大缓冲区。"),
                    facts.remount("--buffer-size " + Say.number(BUFFER_MIB)),
                    format(
                            "bursts of %1$s more are taken without waiting",
                            "可多吸收 %1$s 的突发而不等待", Say.bytes(BUFFER_MIB * (1 << 20) - size)),
                    new Text(
                            "up to twice as much memory; more is lost when the node dies, and an fsync takes longer",
                            "内存最多两倍；节点宕机时丢失更多，fsync 更久"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not size it by the memory that is free: trainers need that too.", "不要按空闲内存来定大小：训练进程也要用。")));
        return remedies;
    }
}
