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

/** The trainer writes a checkpoint and waits in close or fsync until every block is in the store; nobody reads meanwhile. */
final class CheckpointWriteStall implements Rule {
    private static final double MIB = 1 << 20;
    private static final double WRITE_FLOOR = 20 * MIB;
    private static final double WRITE_RISE = 2;
    private static final int LEAD = 1;
    private static final double LEAST_WAITING = 0.5;
    private static final double READS_FALL = 0.3;
    private static final double STAGED_SHARE = 0.5;
    private static final double ERROR_FLOOR = 0.2;
    private static final double COMMIT_RISE = 3;
    private static final int SUSTAINED = 3;
    private static final int LEAST_STEPS = 40;
    private static final double MUCH = 0.05;
    private static final double DEFAULT_UPLOADS = 20;
    private static final double SLOTS_FULL = 0.85;
    private static final double PUT_RISE = 2;

    private static final RuleCard CARD = new RuleCard(
            "checkpoint-write-stall",
            new Text("Training waits for its own checkpoint", "训练停下等待检查点写完"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.FUSE_WRITE_BYTES, Signal.WRITE_SECONDS, Signal.UTILISATION));

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
        private final Series written;
        private final Series writing;
        private final Series reading;
        private final Series staged;
        private final Series put;
        private final Series putLatency;
        private final Series uploading;
        private final Series use;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            written = window.series(Signal.FUSE_WRITE_BYTES);
            writing = window.series(Signal.WRITE_SECONDS);
            reading = window.series(Signal.READ_SECONDS);
            staged = window.series(Signal.STAGED_BYTES);
            put = window.series(Signal.PUT_BYTES);
            putLatency = window.series(Signal.PUT_LATENCY);
            uploading = window.series(Signal.PUT_SECONDS);
            use = window.series(Signal.UTILISATION);
        }

        Verdict verdict() {
            List<Change> causes = Shift.rise(Signal.FUSE_WRITE_BYTES, WRITE_FLOOR * window.floorScale(), WRITE_RISE)
                    .in(window);
            // A save looks like a pause to the masks: no samples, no reads, no utilisation.
            Pairing pairing = Pairing.of(window, causes, UtilisationDrops.in(window), LEAD);
            Pairing.Pair pair = pairing.latest();
            boolean enough = pair != null
                    && (pairing.pairs().size() >= 2
                            || pair.effect().steps() >= window.axis().steps(SUSTAINED));
            if (!checks.add(
                            new Text(
                                    "writes began with the fall of utilisation: twice, or for three steps",
                                    "写入与利用率下降同时开始：两次，或持续三步"),
                            pairing.pairs().size() + "",
                            "≥ 1",
                            enough && !pairing.contradicted())
                    || pair == null) {
                return checks.quiet();
            }
            boolean recent = pair.effect().goingOn() || pair.effect().end() >= window.size() - 2;
            return recent && mechanism(pair) ? new Verdict.Found(finding(pairing, pair)) : checks.quiet();
        }

        private static int from(Pairing.Pair pair) {
            return Math.min(pair.cause().start(), pair.effect().start());
        }

        /** The step in which it ended belongs to it: what waited is counted when it is done. */
        private int to(Pairing.Pair pair) {
            return Math.min(window.size(), pair.effect().end() + 1);
        }

        private boolean mechanism(Pairing.Pair pair) {
            int from = from(pair);
            int to = to(pair);
            // Over the whole stall and not per step: one fsync of a minute shows all of it in its last step.
            double waited = writing.mean(from, to);
            boolean waits = checks.add(
                    new Text("somebody waits in write, flush, fsync or close", "有人等待 write、flush、fsync 或 close"),
                    Say.number(waited),
                    "≥ " + Say.number(LEAST_WAITING),
                    waited >= LEAST_WAITING);
            double readBefore = Evidence.before(reading, from);
            double reads = reading.median(pair.effect().start(), pair.effect().end());
            boolean noReads = checks.add(
                    new Text("fewer reads are under way than before", "进行中的读取少于此前"),
                    Say.number(reads),
                    "≤ " + Say.number((1 - READS_FALL) * readBefore),
                    reads <= (1 - READS_FALL) * readBefore || (reads == 0 && Double.isNaN(readBefore)));
            double share = orZero(staged.mean(from, to)) / written.mean(from, to);
            boolean direct = checks.add(
                    new Text("the writes go to the store, not to a staging disk", "写入直接到对象存储而非暂存盘"),
                    Say.percent(share),
                    "< " + Say.percent(STAGED_SHARE),
                    share < STAGED_SHARE);
            double errors = orZero(window.series(Signal.OBJECT_ERRORS).max(from, to));
            boolean clean = checks.add(
                    new Text("requests to the store do not fail", "对象请求没有失败"),
                    Say.perSecond(errors),
                    "< " + Say.perSecond(ERROR_FLOOR),
                    errors < ERROR_FLOOR * window.floorScale());
            Series commits = window.series(Signal.TXN_LATENCY);
            double commit = commits.median(from, to);
            double commitBefore = Evidence.before(commits, from);
            boolean quick = checks.add(
                    new Text("metadata is written as quickly as before", "元数据写入没有变慢"),
                    Say.duration(commit),
                    "< " + Say.duration(COMMIT_RISE * commitBefore),
                    !(commit >= COMMIT_RISE * commitBefore));
            return waits && noReads && direct && clean && quick;
        }

        private Finding finding(Pairing pairing, Pairing.Pair pair) {
            int from = from(pair);
            int to = to(pair);
            double step = window.axis().stepMillis() / 1e3;
            double bytes = written.mean(from, to) * (to - from) * step;
            int stalled =
                    pairing.pairs().stream().mapToInt(p -> p.effect().steps()).sum();
            int judged = 0;
            for (int i = 0; i < window.size(); i++) {
                judged += use.present(i) ? 1 : 0;
            }
            double share = (double) stalled / Math.max(judged, window.axis().steps(LEAST_STEPS));
            Confidence confidence = pairing.confidence();
            return new Finding(
                    share >= MUCH ? Severity.S2 : Severity.S3,
                    confidence,
                    Sentences.whyNotSurer(window, pairing, confidence),
                    format(
                            "The job wrote %1$s and waited for it: utilisation fell from %2$s to %3$s for about %4$s, and"
                                    + " nothing was read meanwhile.",
                            "任务写入 %1$s 并等待其完成：利用率由 %2$s 降至 %3$s 约 %4$s，期间没有读取。",
                            Say.bytes(bytes),
                            Say.percent(pair.effect().base()),
                            Say.percent(pair.effect().extreme()),
                            Say.duration(pair.effect().steps() * step)),
                    format("Saves took %1$s of the time. ", "保存占用了 %1$s 的时间。", Say.percent(share))
                            .plus(Sentences.repetition(pairing.repetition(), pair.order())),
                    Sentences.inTimeOrder(pair.cause(), pair.effect()),
                    pairing.repetition(),
                    lanes(from, to),
                    ruledOut(from, to),
                    unknown(),
                    subCauses(from, to),
                    remedies(from, to, bytes, pair.effect().steps() * step),
                    Sentences.losses(window, pairing),
                    checks.all());
        }

        private List<Lane> lanes(int start, int end) {
            return List.of(
                    Evidence.fall(use, start, end),
                    Evidence.rise(written, start, end),
                    Evidence.rise(writing, start, end),
                    Evidence.rise(put, start, end),
                    Evidence.rise(putLatency, start, end),
                    Evidence.fall(reading, start, end));
        }

        private List<Reason> ruledOut(int from, int to) {
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("a trainer that waits for data", "训练在等数据"),
                    format(
                            "%1$s reads at once on average, %2$s before",
                            "平均同时 %1$s 个读取，此前 %2$s",
                            Say.number(reading.median(from, to)),
                            Say.number(Evidence.before(reading, from)))));
            ruledOut.add(new Reason(
                    new Text("writeback on the cache disk", "写回占用缓存盘"),
                    format("%1$s staged", "暂存 %1$s", Say.rate(orZero(staged.mean(from, to))))));
            ruledOut.add(new Reason(
                    new Text("a checkpoint that is packed, not written", "检查点在序列化而非写入"),
                    format("up to %1$s were written", "写入最高 %1$s", Say.rate(written.max(from, to)))));
            return ruledOut;
        }

        private List<Reason> unknown() {
            List<Reason> unknown = new ArrayList<>();
            if (!facts.configKnown()) {
                unknown.add(Sentences.configUnknown());
            }
            if (!window.series(Signal.SAMPLES).known()) {
                unknown.add(Sentences.samplesUnknown());
            }
            return unknown;
        }

        private List<String> subCauses(int from, int to) {
            List<String> sub = new ArrayList<>();
            if (slotsFull(from, to)) {
                sub.add("upload-concurrency-limited");
            }
            if (putLatency.median(from, to) >= PUT_RISE * Evidence.before(putLatency, from)) {
                sub.add("object-store-latency");
            }
            return sub;
        }

        private double uploads() {
            double set = facts.setting(Facts.MAX_UPLOADS);
            return Double.isNaN(set) ? DEFAULT_UPLOADS : set;
        }

        private boolean slotsFull(int from, int to) {
            return uploading.max(from, to) >= SLOTS_FULL * uploads();
        }

        private List<Remedy> remedies(int from, int to, double bytes, double seconds) {
            Text verify = new Text("the next save stalls training for half as long at most", "下一次保存时训练停顿不超过现在的一半");
            List<Remedy> remedies = new ArrayList<>();
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Save asynchronously (torch.distributed.checkpoint.async_save, or the framework's own).",
                            "异步保存检查点（torch.distributed.checkpoint.async_save 或框架自带方式）。"),
                    "",
                    format("stall %1$s → the time of a copy in memory", "停顿 %1$s → 仅内存拷贝的时间", Say.duration(seconds)),
                    format("needs %1$s of memory for the copy", "需要 %1$s 内存存放拷贝", Say.bytes(bytes)),
                    verify));
            if (slotsFull(from, to) && uploads() < 50) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Upload more at once: all slots were busy.", "提高同时上传数：名额已占满。"),
                        "juicefs mount -d --max-uploads 50 " + facts.metaUrl() + " " + facts.path(),
                        format(
                                "stall %1$s → about %2$s, if the uplink and the store allow",
                                "停顿 %1$s → 约 %2$s，前提是带宽与对象存储允许",
                                Say.duration(seconds),
                                Say.duration(seconds * uploads() / 50)),
                        new Text(
                                "more load on the store; a remount with its other options as now",
                                "对象存储压力增大；需重挂，其余参数照旧"),
                        verify));
            }
            double buffer = facts.setting(Facts.BUFFER_SIZE_BYTES);
            if (!(buffer >= bytes)) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Let the write buffer hold a whole checkpoint of this node.", "让写缓冲容得下本节点整份检查点。"),
                        "juicefs mount -d --buffer-size " + MountFacts.mebibytes(1.2 * bytes) + " " + facts.metaUrl()
                                + " " + facts.path(),
                        new Text(
                                "write() returns at memory speed; close still waits for the store",
                                "write() 以内存速度返回；close 仍要等上传"),
                        format("%1$s more memory for the client", "客户端多占 %1$s 内存", Say.bytes(1.2 * bytes)),
                        verify));
            }
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Mount the volume a second time for checkpoints, with --writeback on a redundant disk of its own.",
                            "为检查点再挂载一次，使用独立的冗余盘并开启 --writeback。"),
                    "juicefs mount -d --writeback --cache-dir /diskB/jfs --metrics 127.0.0.1:9568 " + facts.metaUrl()
                            + " /mnt/checkpoints",
                    format(
                            "stall %1$s → the time to write %2$s to that disk",
                            "停顿 %1$s → 写 %2$s 到该盘的时间", Say.duration(seconds), Say.bytes(bytes)),
                    new Text("until uploaded, the checkpoint exists on this node only", "上传完成前检查点只在本节点"),
                    verify));
            remedies.add(Remedy.doNot(new Text(
                    "Do not enable --writeback on the mount of the training data: saves then collide with cached reads.",
                    "不要在训练数据挂载点上开启 --writeback：保存会与缓存读争用磁盘。")));
            return remedies;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
