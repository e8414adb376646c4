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

/** Every metadata call takes long because the engine is far away or slow, all the time. */
final class MetadataPathLatency implements Rule {
    private static final String ID = "metadata-path-latency";
    private static final Bound STEPS = new Bound(ID, "steps", 40, Unit.COUNT);
    private static final Bound CALL = new Bound(ID, "call", 0.003, Unit.SECONDS);
    private static final Bound TRIP = new Bound(ID, "round-trip", 0.001, Unit.SECONDS);
    private static final Bound CALLS = new Bound(ID, "calls", 10, Unit.PER_SECOND);
    private static final Bound INSIDE = new Bound(ID, "time-inside-redis", 0.0002, Unit.SECONDS);
    private static final Bound RESTARTED = new Bound(ID, "restarted-share", 0.01, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The metadata engine is far away or slow", "元数据引擎远或慢"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.META_OPS, Signal.META_SECONDS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, CALL, TRIP, CALLS, INSIDE, RESTARTED);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double call = lately.median(Signal.META_LATENCY);
        double trip = lately.median(Signal.RTT_MEDIAN);
        double inside = lately.mean(Signal.REDIS_CPU) / lately.mean(Signal.REDIS_OPS);
        double restarted = lately.mean(Signal.TXN_RESTARTS) / lately.mean(Signal.TXNS);
        boolean used = checks.add(
                new Text("metadata calls, for ten minutes", "十分钟内的元数据请求"),
                Say.perSecond(lately.median(Signal.META_OPS)),
                "≥ " + Say.perSecond(window.floor(CALLS)),
                lately.watched(Signal.META_OPS) && lately.median(Signal.META_OPS) >= window.floor(CALLS));
        boolean slow =
                checks.atLeast(new Text("a call takes, median", "一次请求耗时（中位）"), call, window.bound(CALL), Say::duration);
        boolean far = checks.atLeast(
                new Text("a round trip to Redis takes, median", "到 Redis 的往返（中位）"),
                trip,
                window.bound(TRIP),
                Say::duration);
        boolean notInside = checks.add(
                new Text("a command takes inside Redis", "命令在 Redis 内部耗时"),
                Say.duration(inside),
                "< " + Say.duration(window.bound(INSIDE)),
                !(inside >= window.bound(INSIDE)));
        // Waiting for a lock and beginning anew is in the time of a call too.
        boolean noConflicts = checks.add(
                new Text("transactions that begin anew", "重试的事务"),
                Say.percent(restarted),
                "< " + Say.percent(window.bound(RESTARTED)),
                !(restarted >= window.bound(RESTARTED)));
        if (!(used && slow && notInside && noConflicts && (far || Double.isNaN(trip)))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                far
                        ? Doubt.NONE
                        : Doubt.likely(new Text(
                                "The way to the engine is not measured from here: it may be the engine that is slow.",
                                "此处未测到引擎的往返：也可能是引擎本身慢。")),
                format(
                        "A metadata call has taken %1$s for ten minutes%2$s: one thread makes at most %3$s of them.",
                        "十分钟来一次元数据请求耗时 %1$s%2$s：单线程每秒最多 %3$s 次。",
                        Say.duration(call),
                        far ? format(", a bare round trip %1$s", "，纯往返 %1$s", Say.duration(trip)) : Text.same(""),
                        Say.perSecond(1 / call)),
                List.of(
                        lately.lane(Signal.META_LATENCY),
                        lately.lane(Signal.RTT_MEDIAN),
                        lately.lane(Signal.TXN_LATENCY),
                        lately.lane(Signal.META_OPS)),
                List.of(new Reason(
                        new Text("slow commands inside Redis", "Redis 内部的慢命令"),
                        Double.isNaN(inside)
                                ? new Text("not watched", "未监测")
                                : format("%1$s a command", "每条命令 %1$s", Say.duration(inside)))),
                List.of(new Reason(
                        new Text("the round trip from this mount's own host", "从挂载主机自身测得的往返"),
                        new Text("measured from where this service runs", "从本服务所在处测得"))),
                remedies(new MountFacts(window), call),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double call) {
        Text verify = new Text("a call takes less than 1 ms", "一次请求低于 1 ms");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Bring the engine near: the same rack or zone, without a proxy in between.",
                        "让引擎靠近：同机架或同可用区，中间不经代理。"),
                "",
                format("a call %1$s → about 0.5 ms within a zone", "请求 %1$s → 同区约 0.5 ms", Say.duration(call)),
                new Text("moving a metadata engine needs a pause of all writers", "迁移元数据引擎需要暂停所有写入"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Ask less often: cache attributes and entries of data that only this job reads.",
                        "减少请求：对只读数据缓存属性与目录项。"),
                facts.remount("--attr-cache 60 --entry-cache 60 --dir-entry-cache 60 --open-cache 60"),
                new Text(
                        "four fifths fewer calls for data that is read again, as long as it does not change",
                        "重复读取的数据请求减少约五分之四，前提是数据不变"),
                new Text(
                        "other nodes' changes are seen up to a minute late: not for directories of checkpoints",
                        "其他节点的修改最多晚一分钟可见：不要用于检查点目录"),
                verify));
        remedies.add(Remedy.doNot(
                new Text("Do not raise --io-retries or timeouts: nothing failed.", "不要调高 --io-retries 或超时：并没有失败。")));
        return remedies;
    }
}
