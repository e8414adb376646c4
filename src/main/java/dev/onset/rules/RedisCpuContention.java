package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Redis answers late and recorded nothing that could explain it: its thread did not get a CPU. */
final class RedisCpuContention implements Rule {
    private static final String ID = "redis-cpu-contention";
    private static final Bound STEPS = new Bound(ID, "steps", 20, Unit.COUNT);
    private static final Bound STALLS = new Bound(ID, "unexplained-stalls", 3, Unit.COUNT);
    private static final Bound EXPLAINS = new Bound(ID, "least-share-of-the-stall", 0.50, Unit.RATIO);
    private static final Bound SATURATED = new Bound(ID, "saturated-cores", 0.90, Unit.IN_FLIGHT);
    private static final Bound SATURATED_STEPS = new Bound(ID, "saturated-steps", 3, Unit.COUNT);
    private static final Bound BUSY = new Bound(ID, "host-cpu-busy", 0.90, Unit.RATIO);
    private static final Bound STOLEN = new Bound(ID, "host-cpu-stolen", 0.05, Unit.RATIO);
    private static final Bound RECENT = new Bound(ID, "recent-steps", 2, Unit.COUNT);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The metadata Redis lacks CPU", "元数据 Redis 缺少 CPU"),
            ScopeKind.REDIS,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.RTT_MAX, Signal.REDIS_CPU));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, STALLS, EXPLAINS, SATURATED, SATURATED_STEPS, BUSY, STOLEN, RECENT);
    }

    @Override
    public Verdict judge(Window window) {
        RedisMoments moments = new RedisMoments(window);
        Checks checks = new Checks();
        List<Moment> stalls = unexplained(window, moments);
        int from = Math.max(0, window.size() - window.steps(STEPS));
        double cores =
                window.series(Signal.REDIS_CPU).min(window.size() - window.steps(SATURATED_STEPS), window.size());
        Scope host = hostOfRedis(window);
        double busy = busiest(window, host, Signal.CPU_BUSY, stalls);
        double stolen = busiest(window, host, Signal.CPU_STEAL_SECONDS, stalls)
                / (host == null
                        ? Double.NaN
                        : window.series(host, Signal.CPU_SECONDS, "").latest());
        boolean often = checks.atLeast(
                new Text("slow answers that nothing Redis recorded explains", "Redis 自身记录无法解释的慢应答"),
                stalls.size(),
                window.bound(STALLS),
                Say::number);
        int last =
                stalls.isEmpty() ? -1 : window.index(RedisMoments.last(stalls).atMillis());
        boolean recent = checks.add(
                new Text("steps since the last one", "距最近一次的步数"),
                stalls.isEmpty() ? "–" : String.valueOf(window.now() - last),
                "≤ " + window.steps(RECENT),
                !stalls.isEmpty() && window.now() - last <= window.steps(RECENT));
        boolean saturated = checks.atLeast(
                new Text("cores that Redis' main thread uses", "Redis 主线程占用的核"),
                cores,
                window.bound(SATURATED),
                Say::number);
        boolean contended = checks.add(
                new Text("CPUs of Redis' host: busy, stolen", "Redis 主机 CPU：忙碌、被偷"),
                Say.percent(busy) + ", " + Say.percent(stolen),
                "≥ " + Say.percent(window.bound(BUSY)) + " / ≥ " + Say.percent(window.bound(STOLEN)),
                busy >= window.bound(BUSY) || stolen >= window.bound(STOLEN));
        if (!often || !recent) {
            return checks.quiet();
        }
        if (!moments.latencyMonitored()) {
            return new Verdict.Unsure(List.of(Sentences.latencyMonitorOff()));
        }
        if (!saturated && host == null) {
            return new Verdict.Unsure(List.of(new Reason(
                    new Text("CPU of Redis' host", "Redis 主机的 CPU"),
                    new Text("no node exporter of that host in this group", "本组没有该主机的 node exporter"))));
        }
        return saturated || contended
                ? new Verdict.Found(finding(window, stalls, saturated, cores, busy, stolen, from, checks))
                : checks.quiet();
    }

    private static List<Moment> unexplained(Window window, RedisMoments moments) {
        long since = window.startMillis(Math.max(0, window.size() - window.steps(STEPS)));
        return moments.spikes().stream()
                .filter(spike -> spike.atMillis() >= since)
                .filter(spike -> !Double.isNaN(spike.seconds()))
                .filter(spike -> !explained(window, moments, spike))
                .toList();
    }

    private static boolean explained(Window window, RedisMoments moments, Moment spike) {
        double least = window.bound(EXPLAINS) * spike.seconds();
        List<Moment> commands = moments.slowCommands().stream()
                .filter(command -> command.seconds() >= least)
                .toList();
        return !RedisMoments.around(spike, moments.events(name -> true, least)).isEmpty()
                || !RedisMoments.around(spike, commands).isEmpty();
    }

    /** The host whose name Redis is asked by; on a loopback address the only one there is. */
    private static @Nullable Scope hostOfRedis(Window window) {
        List<Scope> hosts = window.connected(ScopeKind.HOST);
        String address = window.scope().id();
        String name = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        boolean here = name.equals("localhost") || name.startsWith("127.") || name.equals("[::1]");
        return hosts.stream()
                .filter(host -> host.id().equals(name) || (here && hosts.size() == 1))
                .findFirst()
                .orElse(null);
    }

    /** The largest value in the steps of the stalls. */
    private static double busiest(Window window, @Nullable Scope host, Signal signal, List<Moment> stalls) {
        double most = Double.NaN;
        for (Moment stall : stalls) {
            int i = window.index(stall.atMillis());
            double value =
                    host == null ? Double.NaN : window.series(host, signal, "").max(i, i + 2);
            most = value > most || Double.isNaN(most) ? value : most;
        }
        return most;
    }

    private static Finding finding(
            Window window,
            List<Moment> stalls,
            boolean saturated,
            double cores,
            double busy,
            double stolen,
            int from,
            Checks checks) {
        double worst = stalls.stream().mapToDouble(Moment::seconds).max().orElse(Double.NaN);
        return Finding.state(
                Severity.S3,
                saturated
                        ? Doubt.NONE
                        : Doubt.likely(new Text(
                                "That the thread waited for a CPU is concluded: nothing else in Redis took the time.",
                                "线程在等 CPU 为推断：Redis 内部没有别的耗时。")),
                saturated
                        ? format(
                                "Redis' only thread uses %1$s of a core: %2$d answers came up to %3$s late.",
                                "Redis 唯一线程占用 %1$s 核：%2$d 次应答最多延迟 %3$s。",
                                Say.number(cores),
                                stalls.size(),
                                Say.duration(worst))
                        : format(
                                "%1$d answers came up to %2$s late while Redis recorded nothing: its host's CPUs were %3$s busy,"
                                        + " %4$s stolen.",
                                "%1$d 次应答最多延迟 %2$s，Redis 却没有任何记录：主机 CPU %3$s 忙碌、%4$s 被偷。",
                                stalls.size(),
                                Say.duration(worst),
                                Say.percent(busy),
                                Say.percent(stolen)),
                List.of(
                        Evidence.rise(window.series(Signal.RTT_MAX), from, window.size()),
                        Evidence.rise(window.series(Signal.REDIS_CPU), from, window.size()),
                        Evidence.rise(window.series(Signal.CPU_BUSY), from, window.size()),
                        Evidence.rise(window.series(Signal.META_LATENCY), from, window.size())),
                List.of(new Reason(
                        new Text("forks, fsyncs, expiry, slow commands", "fork、fsync、过期、慢命令"),
                        new Text("none of half a stall's length in the seconds of the stalls", "卡顿同秒没有达到一半时长的事件"))),
                List.of(new Reason(
                        new Text("the network between here and Redis", "此处到 Redis 的网络"),
                        new Text("a second port of that host is not measured", "未测该主机的另一端口"))),
                remedies(saturated),
                checks);
    }

    private static List<Remedy> remedies(boolean saturated) {
        Text verify = new Text("no answer takes more than 5 ms", "应答不超过 5 ms");
        List<Remedy> remedies = new ArrayList<>();
        if (saturated) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Ask less: see metadata-op-storm. One Redis uses one core, however many there are.",
                            "减少请求：见 metadata-op-storm。一个 Redis 只用一核。"),
                    "redis-cli INFO commandstats",
                    new Text("the thread's use falls with the calls", "占用随请求下降"),
                    new Text("none for the job", "对任务没有影响"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Give Redis cores that no trainer and no mount uses, two or more.",
                        "给 Redis 留出训练与挂载都不用的核，至少两个。"),
                "taskset -acp 2-3 $(pidof redis-server)",
                new Text("stalls without a Redis event → none", "没有 Redis 事件的卡顿 → 消失"),
                new Text("two cores less for the others; keep trainers off them, too", "其他程序少两核；也要让训练避开这些核"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not pin Redis to a single core: its forked child then competes with it.",
                "不要把 Redis 绑到单核：fork 出的子进程会与它争抢。")));
        return remedies;
    }
}
