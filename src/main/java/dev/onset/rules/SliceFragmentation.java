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

/** Many small writes leave files in pieces; the client then reads and writes them anew to join the pieces. */
final class SliceFragmentation implements Rule {
    private static final String ID = "slice-fragmentation";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound COMPACTIONS = new Bound(ID, "compactions", 1, Unit.PER_SECOND);
    private static final Bound SMALL_WRITE = new Bound(ID, "small-write", 64 << 10, Unit.BYTES);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Files in many pieces are being compacted", "文件碎片引发持续压实"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.COMPACTIONS, Signal.FUSE_WRITE_BYTES, Signal.FUSE_WRITES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, COMPACTIONS, SMALL_WRITE);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double compactions = lately.least(Signal.COMPACTIONS);
        double size = lately.mean(Signal.FUSE_WRITE_BYTES) / lately.mean(Signal.FUSE_WRITES);
        boolean compacts = checks.add(
                new Text("compactions in each of the last steps", "最近每一步的压实"),
                Say.perSecond(compactions),
                "≥ " + Say.perSecond(window.floor(COMPACTIONS)),
                lately.watched(Signal.COMPACTIONS) && compactions >= window.floor(COMPACTIONS));
        // An operator's compaction runs without anybody writing small pieces.
        boolean small =
                checks.below(new Text("mean size of a write", "平均写入大小"), size, window.bound(SMALL_WRITE), Say::bytes);
        if (!(compacts && small)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s compactions join pieces of files that are written %2$s at a time; each reads and writes what is there"
                                + " already.",
                        "每秒 %1$s 次压实在合并每次仅写 %2$s 的文件碎片，每次都要重读重写已有数据。",
                        Say.perSecond(lately.mean(Signal.COMPACTIONS)),
                        Say.bytes(size)),
                List.of(
                        lately.lane(Signal.COMPACTIONS),
                        lately.lane(Signal.FUSE_WRITE_BYTES),
                        lately.lane(Signal.PUT_BYTES),
                        lately.lane(Signal.GET_BYTES)),
                List.of(new Reason(
                        new Text("an operator's compaction", "人工压实"),
                        format("applications write %1$s at a time meanwhile", "同时应用每次写入 %1$s", Say.bytes(size)))),
                List.of(),
                remedies(new MountFacts(window), size),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double size) {
        Text verify = new Text("compactions stop", "压实停止");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Write in pieces of 4 MiB, keep logs on the local disk, and do not sync after each small write.",
                        "以 4 MiB 为单位写入，日志写本地盘，不要每次小写后都 sync。"),
                "",
                format("writes of %1$s → 4 MiB; no compaction", "写入 %1$s → 4 MiB；不再压实", Say.bytes(size)),
                new Text("a change in the job's code", "需要改动任务代码"),
                verify));
        if (facts.mayHave(1, 2)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Join what is in pieces already, outside of training.", "在训练之外合并已有碎片。"),
                    "juicefs compact " + facts.path() + "/DIRECTORY",
                    new Text("reads of these files need one request a block again", "读取这些文件恢复为每块一次请求"),
                    new Text(
                            "reads and writes all affected data; with a trash the old pieces stay for its days",
                            "会重读重写全部相关数据；启用回收站时旧碎片会保留相应天数"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not compact by hand while a job trains: it reads and writes on the same mount.",
                "训练期间不要手动压实：它在同一挂载上读写。")));
        return remedies;
    }
}
