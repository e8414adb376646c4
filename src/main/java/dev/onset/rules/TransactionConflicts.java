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

/** Several clients change one directory: their transactions invalidate each other and are made again after a pause. */
final class TransactionConflicts implements Rule {
    private static final String ID = "transaction-conflicts";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound SHARE = new Bound(ID, "restarted-share", 0.10, Unit.RATIO);
    private static final Bound RESTARTS = new Bound(ID, "restarts", 5, Unit.PER_SECOND);
    private static final Bound MOST = new Bound(ID, "restarted-share-severe", 0.50, Unit.RATIO);
    private static final Bound LOST = new Bound(ID, "lost-round-trips", 1, Unit.COUNT);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Metadata transactions conflict", "元数据事务冲突"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.TXN_RESTARTS, Signal.TXNS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, SHARE, RESTARTS, MOST, LOST);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double share = lately.mean(Signal.TXN_RESTARTS) / lately.mean(Signal.TXNS);
        double lost = lately.most(Signal.RTT_LOST);
        boolean many = checks.add(
                new Text("restarts in each of the last steps", "最近每一步的重试"),
                Say.perSecond(lately.least(Signal.TXN_RESTARTS)),
                "≥ " + Say.perSecond(window.floor(RESTARTS)),
                lately.watched(Signal.TXN_RESTARTS) && lately.least(Signal.TXN_RESTARTS) >= window.floor(RESTARTS));
        boolean often = checks.atLeast(
                new Text("restarts for each transaction", "每个事务的重试次数"), share, window.bound(SHARE), Say::percent);
        // A client that lost its connection begins its transactions anew as well.
        boolean connected = checks.add(
                new Text("the metadata engine answers all the time", "元数据引擎一直应答"),
                Say.number(lost),
                "< " + Say.number(window.bound(LOST)),
                !(lost >= window.bound(LOST)));
        if (!(many && often && connected)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                share >= window.bound(MOST) ? Severity.S2 : Severity.S3,
                Double.isNaN(lost)
                        ? Doubt.likely(new Text(
                                "Whether the metadata engine answered all the time is not known: a failover restarts transactions too.",
                                "不知元数据引擎是否一直应答：故障切换也会重试事务。"))
                        : Doubt.NONE,
                format(
                        "%1$s of the metadata transactions had to begin anew (%2$s), a transaction takes %3$s: several clients"
                                + " change the same directory.",
                        "%1$s 的元数据事务需要重试（%2$s），单个事务耗时 %3$s：多个客户端在修改同一目录。",
                        Say.percent(share),
                        Say.perSecond(lately.mean(Signal.TXN_RESTARTS)),
                        Say.duration(lately.median(Signal.TXN_LATENCY))),
                List.of(lately.lane(Signal.TXN_RESTARTS), lately.lane(Signal.TXNS), lately.lane(Signal.TXN_LATENCY)),
                List.of(),
                List.of(new Reason(
                        new Text("which directory", "哪个目录"),
                        new Text(
                                "juicefs profile of the mount shows the operations; the paths are in its access log",
                                "juicefs profile 可看操作类型；路径见访问日志"))),
                remedies(new MountFacts(window), share),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double share) {
        Text verify = new Text("less than 1 % of the transactions are restarted", "重试低于事务的 1 %");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Give each worker a directory of its own, or write to one and rename once at the end.",
                        "让每个 worker 使用各自目录，或先写临时目录最后一次性改名。"),
                "",
                format("restarts %1$s → under 1 %%", "重试 %1$s → 低于 1 %%", Say.percent(share)),
                new Text("a change in the job's code", "需要改动任务代码"),
                verify));
        if (facts.mayHave(1, 2)) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Update a directory's time less often.", "降低目录时间的更新频率。"),
                    facts.remount("--skip-dir-mtime 1s"),
                    new Text(
                            "creating and deleting in one directory changes its own record at most once a second per client",
                            "同一目录内增删时，每客户端每秒最多更新一次目录记录"),
                    new Text("directory times are up to a second old", "目录时间最多滞后一秒"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not add clients to a directory that is contended already: each one makes the others begin anew.",
                "不要给已有冲突的目录增加客户端：每增一个都会让其他的重试。")));
        return remedies;
    }
}
