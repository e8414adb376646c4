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

/** The same attributes and names are asked for again and again: the kernel forgets them after a second. */
final class MetadataOpStorm implements Rule {
    private static final String ID = "metadata-op-storm";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound CALLS = new Bound(ID, "looking-calls", 2000, Unit.PER_SECOND);
    private static final Bound SHARE = new Bound(ID, "looking-share", 0.70, Unit.RATIO);
    private static final Bound WAITING = new Bound(ID, "calls-waiting", 1, Unit.IN_FLIGHT);
    private static final Bound REDIS_CPU = new Bound(ID, "redis-cores", 0.60, Unit.IN_FLIGHT);
    private static final double LEFT = 0.20;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Too many metadata calls", "元数据请求过多"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.META_OPS, Signal.META_LOOKS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, CALLS, SHARE, WAITING, REDIS_CPU);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double looks = lately.least(Signal.META_LOOKS);
        double share = lately.mean(Signal.META_LOOKS) / lately.mean(Signal.META_OPS);
        double waiting = lately.median(Signal.META_SECONDS);
        double redis = lately.median(Signal.REDIS_CPU);
        boolean many = checks.add(
                new Text("calls that only look, in each of the last steps", "最近每一步的查询类请求"),
                Say.perSecond(looks),
                "≥ " + Say.perSecond(window.floor(CALLS)),
                lately.watched(Signal.META_LOOKS) && looks >= window.floor(CALLS));
        // Against a storm of changes no cache helps.
        boolean looking = checks.atLeast(
                new Text("their share of all metadata calls", "占全部元数据请求的比例"), share, window.bound(SHARE), Say::percent);
        boolean callsWait = checks.atLeast(
                new Text("calls under way at any time", "同时进行的请求"), waiting, window.bound(WAITING), Say::number);
        boolean redisBusy = checks.atLeast(
                new Text("CPU of the metadata Redis, in cores", "元数据 Redis 的 CPU（核）"),
                redis,
                window.bound(REDIS_CPU),
                Say::number);
        if (!(many && looking && (callsWait || redisBusy))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s metadata calls that only look (%2$s of all); %3$s of them are under way at any time.",
                        "每秒 %1$s 次只是查询的元数据请求（占 %2$s），随时有 %3$s 个在进行。",
                        Say.perSecond(lately.mean(Signal.META_LOOKS)),
                        Say.percent(share),
                        Say.number(waiting)),
                List.of(
                        lately.lane(Signal.META_LOOKS),
                        lately.lane(Signal.META_OPS),
                        lately.lane(Signal.META_LATENCY),
                        lately.lane(Signal.REDIS_CPU)),
                List.of(new Reason(
                        new Text("a storm of changes", "写入类风暴"),
                        format("%1$s of the calls only look", "%1$s 的请求只是查询", Say.percent(share)))),
                List.of(new Reason(
                        new Text("which program asks", "是哪个程序在请求"),
                        new Text("juicefs profile of the mount shows it by process", "juicefs profile 可按进程查看"))),
                remedies(new MountFacts(window), lately.mean(Signal.META_LOOKS)),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double looks) {
        Text verify = format("less than %1$s such calls", "此类请求低于 %1$s", Say.perSecond(2 * LEFT * looks));
        String options = "--attr-cache 60 --entry-cache 60 --dir-entry-cache 60 --open-cache 60"
                + (facts.mayHave(1, 3) && facts.version().known() ? " --negative-entry-cache 5 --readdir-cache" : "");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Keep attributes and names longer, on a mount whose data only this job changes.",
                        "若数据只由本任务修改：延长属性与目录项缓存。"),
                facts.remount(options),
                format(
                        "%1$s → about %2$s, if the same files are asked for again within a minute",
                        "%1$s → 约 %2$s，前提是一分钟内重复访问相同文件", Say.perSecond(looks), Say.perSecond(LEFT * looks)),
                new Text(
                        "other nodes' changes are seen up to a minute late: not for directories of checkpoints that others poll",
                        "其他节点的修改最多晚一分钟可见：不要用于他人轮询的检查点目录"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("List the data set once, and keep the list in a file.", "只列一次数据集，并把清单存成文件。"),
                "",
                new Text("no listing and no attributes for each file at each start", "每次启动不再逐个列举和取属性"),
                new Text("the list must be made anew when files change", "文件变化时需更新清单"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not raise --cache-size for this: it holds data, not metadata.",
                "不要为此加大 --cache-size：它缓存数据，不缓存元数据。")));
        return remedies;
    }
}
