package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.Moment;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A fork or a slow fsync holds Redis' only thread: metadata calls of that second wait for it. */
final class RedisPersistenceStall implements Rule {
    private static final String ID = "redis-persistence-stall";
    private static final Bound PAIRS = new Bound(ID, "pairs", 2, Unit.COUNT);
    private static final Bound EXPLAINS = new Bound(ID, "least-share-of-the-stall", 0.50, Unit.RATIO);
    private static final Bound RECENT = new Bound(ID, "recent-steps", 2, Unit.COUNT);
    private static final Bound LONG = new Bound(ID, "long-stall", 0.5, Unit.SECONDS);
    private static final Bound EPISODES = new Bound(ID, "episodes-to-confirm", 3, Unit.COUNT);
    private static final long PAUSE_MILLIS = 30_000;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Forks or fsyncs stall the metadata Redis", "fork 或 fsync 卡住元数据 Redis"),
            ScopeKind.REDIS,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.RTT_MAX));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(PAIRS, EXPLAINS, RECENT, LONG, EPISODES);
    }

    /** A slow answer, and what Redis itself recorded in its second. */
    private record Pair(Moment event, Moment spike) {}

    @Override
    public Verdict judge(Window window) {
        RedisMoments moments = new RedisMoments(window);
        Checks checks = new Checks();
        if (moments.spikes().size() >= window.bound(PAIRS) && !moments.latencyMonitored()) {
            return new Verdict.Unsure(List.of(Sentences.latencyMonitorOff()));
        }
        List<Pair> pairs = pairs(window, moments);
        boolean enough = checks.atLeast(
                new Text("slow answers with a fork or fsync in their second", "同秒有 fork 或 fsync 的慢应答"),
                pairs.size(),
                window.bound(PAIRS),
                Say::number);
        int last = pairs.isEmpty()
                ? -1
                : window.index(pairs.get(pairs.size() - 1).spike.atMillis());
        boolean recent = checks.add(
                new Text("steps since the last one", "距最近一次的步数"),
                pairs.isEmpty() ? "–" : String.valueOf(window.now() - last),
                "≤ " + window.steps(RECENT),
                !pairs.isEmpty() && window.now() - last <= window.steps(RECENT));
        return enough && recent ? new Verdict.Found(finding(window, moments, pairs, checks)) : checks.quiet();
    }

    private static List<Pair> pairs(Window window, RedisMoments moments) {
        List<Moment> events = moments.events(RedisPersistenceStall::ofPersistence, 0);
        List<Pair> pairs = new ArrayList<>();
        for (Moment spike : moments.spikes()) {
            RedisMoments.around(spike, events).stream()
                    .filter(event -> event.seconds() >= window.bound(EXPLAINS) * spike.seconds())
                    .max(Comparator.comparingDouble(Moment::seconds))
                    .ifPresent(event -> pairs.add(new Pair(event, spike)));
        }
        return pairs;
    }

    private static boolean ofPersistence(String event) {
        return event.equals("fork") || event.startsWith("aof-") || event.startsWith("rdb-");
    }

    private static Finding finding(Window window, RedisMoments moments, List<Pair> pairs, Checks checks) {
        List<Moment> spikes = pairs.stream().map(Pair::spike).toList();
        double worst = spikes.stream().mapToDouble(Moment::seconds).max().orElse(Double.NaN);
        int episodes = RedisMoments.episodes(spikes, PAUSE_MILLIS);
        boolean confirmed = episodes >= window.bound(EPISODES);
        Pair first = pairs.get(0);
        String event = first.event.name();
        int from = Math.max(0, window.index(first.spike.atMillis()) - 1);
        return new Finding(
                worst >= window.bound(LONG) ? Severity.S2 : Severity.S3,
                confirmed ? Confidence.CONFIRMED : Confidence.LIKELY,
                confirmed
                        ? Text.same("")
                        : format(
                                "Seen in %1$d of the 3 episodes that rule out chance.",
                                "目前 %1$d 轮，排除偶然需要 3 轮。", episodes),
                format(
                        "Redis answered up to %1$s late in the seconds of its own %2$s; metadata calls waited.",
                        "Redis 在自身 %2$s 的同一秒应答最多延迟 %1$s，元数据调用随之等待。", Say.duration(worst), event),
                format(
                        "%1$d of %2$d slow answers have such an event in their second.",
                        "%2$d 次慢应答中 %1$d 次同秒有此类事件。",
                        pairs.size(),
                        moments.spikes().size()),
                onsets(window, first),
                null,
                List.of(
                        Evidence.rise(window.series(Signal.RTT_MAX), from, window.size()),
                        Evidence.rise(window.series(Signal.LAST_FORK), from, window.size()),
                        Evidence.rise(window.series(Signal.AOF_DELAYED), from, window.size()),
                        Evidence.rise(window.series(Signal.RDB_SAVING), from, window.size()),
                        Evidence.rise(window.series(Signal.META_LATENCY), from, window.size())),
                List.of(new Reason(
                        new Text("a slow command or expiring keys", "慢命令或过期键"),
                        format(
                                "Redis recorded %1$s of %2$s in that second",
                                "该秒 Redis 记录了 %2$s 的 %1$s", event, Say.duration(first.event.seconds())))),
                List.of(new Reason(
                        new Text("the disk under Redis", "Redis 所在磁盘"),
                        new Text("which device it is, is not known", "不知是哪块设备"))),
                List.of(),
                remedies(window, event, worst),
                List.of(),
                checks.all());
    }

    /** Redis states whole seconds, so that the two usually overlap. */
    private static List<Onset> onsets(Window window, Pair first) {
        Moment event = first.event;
        Moment spike = first.spike;
        Onset stalled = new Onset(
                window.scope(),
                Signal.LAST_FORK,
                event.name(),
                event.atMillis() - event.precisionMillis(),
                event.atMillis() + event.precisionMillis());
        Onset late = new Onset(
                window.scope(),
                Signal.RTT_MAX,
                "",
                spike.atMillis(),
                spike.atMillis() + Math.round(spike.seconds() * 1e3));
        return Stream.of(stalled, late)
                .sorted(Comparator.comparingLong(Onset::toMillis))
                .toList();
    }

    private static List<Remedy> remedies(Window window, String event, double worst) {
        Text verify = new Text("no slow answer in the seconds of forks and fsyncs", "fork 与 fsync 的同一秒不再有慢应答");
        List<Remedy> remedies = new ArrayList<>();
        if (event.equals("fork")) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Switch transparent huge pages off on Redis' host: they make a fork many times dearer.",
                            "在 Redis 主机关闭透明大页：它会成倍放大 fork 开销。"),
                    "echo never > /sys/kernel/mm/transparent_hugepage/enabled",
                    format(
                            "a stall %1$s → 10 to 20 ms for each GiB of its memory",
                            "卡顿 %1$s → 每 GiB 内存 10–20 ms", Say.duration(worst)),
                    new Text(
                            "for all programs of that host; gone after a restart unless made permanent",
                            "影响该主机所有程序；不持久化则重启失效"),
                    verify));
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Let a replica take the snapshots.", "让副本做快照。"),
                    "",
                    new Text("no fork on the primary", "主节点不再 fork"),
                    new Text("needs a replica that is watched as well", "需要同样受监控的副本"),
                    verify));
        } else {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Give Redis' data folder an SSD of its own, not the cache disk of a mount.",
                            "给 Redis 数据目录独立 SSD，不与挂载缓存盘共用。"),
                    "redis-cli CONFIG GET dir",
                    new Text("an fsync takes a few milliseconds", "一次 fsync 只需数毫秒"),
                    new Text("moving the folder needs a restart or a failover", "迁移目录需要重启或切换"),
                    verify));
            String during = window.fact(Facts.REDIS_CONFIG + "no-appendfsync-on-rewrite");
            if (!"yes".equals(during)) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Do not fsync while the log is rewritten.", "重写日志期间不做 fsync。"),
                        "redis-cli CONFIG SET no-appendfsync-on-rewrite yes\nredis-cli CONFIG REWRITE",
                        new Text("no stall during rewrites", "重写期间不再卡顿"),
                        new Text(
                                "up to 30 s of metadata may be lost if the host dies in a rewrite",
                                "重写时主机宕机可能丢失最多 30 秒元数据"),
                        verify));
            }
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not switch the append-only file off: the metadata would be lost with the process.",
                "不要关闭 AOF：进程退出元数据即丢失。")));
        return remedies;
    }
}
