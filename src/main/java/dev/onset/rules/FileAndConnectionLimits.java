package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** Near a limit of descriptors or connections: beyond it opens fail and clients are refused, at random as it seems. */
final class FileAndConnectionLimits implements Rule {
    private static final String ID = "fd-and-connection-limits";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound NEAR = new Bound(ID, "near", 0.80, Unit.RATIO);
    private static final double ROOMY = 0.5;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Descriptors or connections run out", "句柄或连接数将耗尽"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.STORAGE,
            List.of(Signal.OPEN_FILES, Signal.MOST_OPEN_FILES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, NEAR);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double files = lately.least(Signal.OPEN_FILES)
                / window.series(Signal.MOST_OPEN_FILES).latest();
        double most = mostClients(window);
        double clients = lately.least(Signal.REDIS_CLIENTS) / most;
        double rejected = lately.most(Signal.REDIS_REJECTED);
        boolean filesShort = checks.atLeast(
                new Text("share of the client's descriptors in use for four steps", "连续四步占用的客户端句柄比例"),
                files,
                window.bound(NEAR),
                Say::percent);
        boolean clientsShort = checks.atLeast(
                new Text("share of Redis' connections in use for four steps", "连续四步占用的 Redis 连接比例"),
                clients,
                window.bound(NEAR),
                Say::percent);
        boolean refuses = checks.add(
                new Text("connections that Redis refused", "Redis 拒绝的连接"),
                Say.perSecond(rejected),
                "> 0",
                rejected > 0);
        if (!filesShort && !clientsShort && !refuses) {
            return checks.quiet();
        }
        boolean redis = refuses || clientsShort;
        return new Verdict.Found(Finding.state(
                refuses ? Severity.S1 : Severity.S2,
                Doubt.NONE,
                redis
                        ? format(
                                "The metadata Redis has %1$s of its %2$s connections in use%3$s.",
                                "元数据 Redis 已用 %1$s / %2$s 个连接%3$s。",
                                Say.number(window.series(Signal.REDIS_CLIENTS).latest()),
                                Say.number(most),
                                refuses ? new Text(" and has refused some", "，并已拒绝部分连接") : Text.same(""))
                        : format(
                                "The client has %1$s of its %2$s descriptors open: at the limit every further open fails.",
                                "客户端已打开 %1$s / %2$s 个句柄：到达上限后再打开都会失败。",
                                Say.number(window.series(Signal.OPEN_FILES).latest()),
                                Say.number(window.series(Signal.MOST_OPEN_FILES).latest())),
                redis
                        ? List.of(lately.lane(Signal.REDIS_CLIENTS), lately.lane(Signal.REDIS_REJECTED))
                        : List.of(lately.lane(Signal.OPEN_FILES), lately.lane(Signal.OPEN_HANDLES)),
                List.of(),
                List.of(new Reason(
                        new Text("limits of the host: connection tracking, all files", "主机级限制：连接跟踪、文件总数"),
                        new Text("not read here", "此处不读取"))),
                redis ? forRedis(most) : forFiles(),
                checks));
    }

    private static double mostClients(Window window) {
        Scope redis = window.first(ScopeKind.REDIS);
        double set = window.number(redis, Facts.REDIS_CONFIG + "maxclients");
        return Double.isNaN(set) ? window.number(redis, Facts.REDIS_INFO + "maxclients") : set;
    }

    private static List<Remedy> forRedis(double most) {
        Text verify = new Text("less than 60 % are in use and none is refused", "占用低于 60 % 且不再拒绝");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Allow more connections.", "调高连接上限。"),
                "redis-cli CONFIG SET maxclients " + Say.number(Double.isNaN(most) ? 20_000 : Math.ceil(most / ROOMY)),
                format("share in use → about %1$s", "占用 → 约 %1$s", Say.percent(ROOMY * 0.8)),
                new Text(
                        "about 20 KB of memory for each; the host's own limit of files must allow it",
                        "每个约 20 KB 内存；需主机文件数上限允许"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Let each mount keep fewer: its pool is ten for each CPU unless the metadata URL says otherwise.",
                        "减少每个挂载的连接：未在元数据 URL 指定时，连接池为每 CPU 十个。"),
                "redis://HOST:PORT/DB?pool_size=100",
                new Text("connections fall to that number for each mount", "每个挂载降到该数"),
                new Text("requests queue in the client when the pool is too small", "池过小时请求会在客户端排队"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not raise the limit only, where connections leak: find the client in CLIENT LIST first.",
                "若连接泄漏，不要只调高上限：先用 CLIENT LIST 找到来源。")));
        return remedies;
    }

    private static List<Remedy> forFiles() {
        Text verify = new Text("less than 60 % are in use", "占用低于 60 %");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("See which process holds so many files open on the mount.", "查看是哪个进程在挂载点上打开了大量文件。"),
                "lsof -n 2>/dev/null | awk '{print $1}' | sort | uniq -c | sort -n | tail",
                new Text("a leak in a data loader is the usual reason", "常见原因是数据加载器泄漏"),
                new Text("walks over all processes: takes seconds", "遍历所有进程：需数秒"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("If all are needed: start the client with a higher limit.", "若确实需要：以更高上限启动客户端。"),
                "ulimit -n 100000   # LimitNOFILE=100000 in its systemd unit",
                new Text("the client takes up to 100,000", "客户端最多使用 100,000"),
                new Text("needs a remount", "需要重新挂载"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not raise limits where handles leak: the next limit is reached as well.",
                "句柄泄漏时不要只调高上限：下一个上限同样会到。")));
        return remedies;
    }
}
