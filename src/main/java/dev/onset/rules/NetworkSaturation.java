package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** A link is full or loses segments: every request of the host takes longer, to the store and to the metadata. */
final class NetworkSaturation implements Rule {
    private static final String ID = "network-saturation";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound FULL = new Bound(ID, "share-of-the-speed", 0.85, Unit.RATIO);
    private static final Bound LOST = new Bound(ID, "retransmitted-share", 0.005, Unit.RATIO);
    private static final Bound LOST_RATE = new Bound(ID, "retransmitted", 20, Unit.PER_SECOND);
    private static final Bound SLOWER = new Bound(ID, "requests-times-baseline", 1.5, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The host's network is full or loses segments", "主机网络打满或丢包"),
            ScopeKind.HOST,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.CPU_SECONDS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, FULL, LOST, LOST_RATE, SLOWER);
    }

    @Override
    public Verdict judge(Window window) {
        if (window.parts(Signal.NET_SPEED).isEmpty()
                && !window.series(Signal.TCP_SENT).known()) {
            return new Verdict.Unsure(List.of(new Reason(
                    new Text("speed of the interfaces and TCP counters", "网卡速率与 TCP 计数"),
                    new Text(
                            "the node exporter's netclass and netstat collectors are off",
                            "node exporter 的 netclass 与 netstat 收集器未启用"))));
        }
        Lately lately = new Lately(window, STEPS);
        int from = Math.max(0, lately.from());
        Checks checks = new Checks();
        String device = fullest(window, from);
        double used = device.isEmpty() ? Double.NaN : leastShare(window, device, from);
        double lost = lately.least(Signal.TCP_RETRANSMITTED);
        double share = lately.mean(Signal.TCP_RETRANSMITTED) / lately.mean(Signal.TCP_SENT);
        double slower = requestsSlower(window, from);
        boolean full = checks.atLeast(
                new Text("share of an interface's speed in each of the last steps", "最近每一步占网卡速率的比例"),
                used,
                window.bound(FULL),
                Say::percent);
        boolean loses = checks.add(
                new Text("segments sent again, in each of the last steps", "最近每一步的重传"),
                Say.perSecond(lost) + ", " + Say.percent(share),
                "≥ " + Say.perSecond(window.floor(LOST_RATE)) + ", ≥ " + Say.percent(window.bound(LOST)),
                lost >= window.floor(LOST_RATE) && share >= window.bound(LOST));
        boolean felt = checks.atLeast(
                new Text("requests of a mount on this host, times their baseline", "本机挂载点请求耗时相对基线"),
                slower,
                window.bound(SLOWER),
                Say::times);
        if (!(full || (loses && felt))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                felt ? Severity.S2 : Severity.S3,
                Doubt.NONE,
                full
                        ? format(
                                "%1$s has been at %2$s of its speed or more for a minute.",
                                "网卡 %1$s 持续一分钟不低于其速率的 %2$s。", device, Say.percent(used))
                        : format(
                                "%1$s of the TCP segments are sent again (%2$s), and object requests take %3$s as long.",
                                "%1$s 的 TCP 报文重传（%2$s），对象请求耗时为之前的 %3$s。",
                                Say.percent(share),
                                Say.perSecond(lately.mean(Signal.TCP_RETRANSMITTED)),
                                Say.times(slower)),
                lanes(window, lately, device, from),
                List.of(),
                List.of(new Reason(
                        new Text("what fills it: JuiceFS or another program", "是谁占满：JuiceFS 还是其他程序"),
                        format("the mounts here download %1$s", "本机挂载点下载 %1$s", Say.rate(downloads(window, from))))),
                remedies(),
                checks));
    }

    private static String fullest(Window window, int from) {
        String fullest = "";
        double most = -1;
        for (String device : window.parts(Signal.NET_SPEED)) {
            double share = leastShare(window, device, from);
            if (share > most) {
                most = share;
                fullest = device;
            }
        }
        return fullest;
    }

    /** The busier direction's share of the speed, at its lowest of the last steps. */
    private static double leastShare(Window window, String device, int from) {
        double speed = window.series(Signal.NET_SPEED, device).latest();
        double received = window.series(Signal.NET_RECEIVED, device).min(from, window.size());
        double sent = window.series(Signal.NET_SENT, device).min(from, window.size());
        double busier = Double.isNaN(sent) || received > sent ? received : sent;
        return speed > 0 ? busier / speed : Double.NaN;
    }

    private static double requestsSlower(Window window, int from) {
        double most = Double.NaN;
        for (Scope mount : window.connected(ScopeKind.MOUNT)) {
            Series latency = window.series(mount, Signal.GET_LATENCY, "");
            double times = latency.median(from, window.size()) / latency.median(0, from);
            most = times > most || Double.isNaN(most) ? times : most;
        }
        return most;
    }

    private static double downloads(Window window, int from) {
        double sum = 0;
        for (Scope mount : window.connected(ScopeKind.MOUNT)) {
            double rate = window.series(mount, Signal.GET_BYTES, "").median(from, window.size());
            sum += Double.isNaN(rate) ? 0 : rate;
        }
        return sum;
    }

    private static List<Lane> lanes(Window window, Lately lately, String device, int from) {
        List<Lane> lanes = new ArrayList<>();
        if (!device.isEmpty()) {
            lanes.add(Evidence.rise(window.series(Signal.NET_RECEIVED, device), from, window.size()));
            lanes.add(Evidence.rise(window.series(Signal.NET_SENT, device), from, window.size()));
        }
        lanes.add(lately.lane(Signal.TCP_RETRANSMITTED));
        window.connected(ScopeKind.MOUNT).stream()
                .limit(1)
                .map(mount -> window.series(mount, Signal.GET_LATENCY, ""))
                .forEach(latency -> lanes.add(Evidence.rise(latency, from, window.size())));
        return lanes;
    }

    private static List<Remedy> remedies() {
        Text verify = new Text("less than 0.05 % is sent again and the link has room", "重传低于 0.05 %，链路有余量");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "See which connections fill it, and look at the port's errors on the switch.",
                        "查看哪些连接占满它，并检查交换机端口错误。"),
                "ss -tin state established | head -50; ip -s link",
                new Text("a bad cable or a busy neighbour explains losses", "坏线缆或繁忙邻居可解释丢包"),
                new Text("none for the job", "对任务没有影响"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("If it is full of data that is read again: cache it on the host.", "若是重复读取的数据占满：在本机缓存。"),
                "juicefs warmup MOUNTPOINT",
                new Text("what is cached does not cross the network again", "已缓存的数据不再经过网络"),
                new Text("the warm-up itself fills the link: before the job", "预热本身会占满链路：请在任务之前"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not enlarge socket buffers everywhere: within a data centre the usual ones suffice, and they cost memory.",
                "不要到处加大套接字缓冲：数据中心内默认值足够，且占内存。")));
        return remedies;
    }
}
