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

/** Every upload slot waits for an answer of a store that is no slower than usual: more slots would upload more. */
final class UploadConcurrencyLimited implements Rule {
    private static final String ID = "upload-concurrency-limited";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound BUSY = new Bound(ID, "slots-in-use", 0.85, Unit.RATIO);
    private static final Bound SAME_STORE = new Bound(ID, "latency-times-baseline", 1.3, Unit.RATIO);
    private static final Bound WAITING = new Bound(ID, "writers-waiting", 1, Unit.IN_FLIGHT);
    private static final Bound NETWORK = new Bound(ID, "network-share", 0.70, Unit.RATIO);
    private static final double BLOCK_MIB = 4;
    private static final double USUAL_BUFFER_MIB = 300;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("All upload slots are busy", "上传并发打满"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.PUT_SECONDS, Signal.PUTS, Signal.WRITE_SECONDS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, BUSY, SAME_STORE, WAITING, NETWORK);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        double slots = facts.setting(Facts.MAX_UPLOADS);
        if (Double.isNaN(slots)) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double busy = lately.least(Signal.PUT_SECONDS) / slots;
        double now = lately.median(Signal.PUT_LATENCY);
        double before = window.series(Signal.PUT_LATENCY).median(0, Math.max(0, lately.from()));
        double waiting = lately.median(Signal.WRITE_SECONDS);
        double network = Network.busiestShare(window, Signal.NET_SENT, lately.from());
        boolean full = checks.add(
                new Text("share of the slots in use in each of the last steps", "最近每一步占用的上传槽比例"),
                Say.percent(busy),
                "≥ " + Say.percent(window.bound(BUSY)),
                lately.watched(Signal.PUT_SECONDS) && busy >= window.bound(BUSY));
        boolean healthy = checks.add(
                new Text("the store answers as fast as before", "对象存储与之前一样快"),
                Say.duration(now),
                "≤ " + Say.times(window.bound(SAME_STORE)) + " " + Say.duration(before),
                now <= window.bound(SAME_STORE) * before);
        boolean waits =
                checks.atLeast(new Text("writers that wait", "等待写入的数量"), waiting, window.bound(WAITING), Say::number);
        boolean room = checks.add(
                new Text("share of the network in use for sending", "发送占用的网络比例"),
                Say.percent(network),
                "< " + Say.percent(window.bound(NETWORK)),
                !(network >= window.bound(NETWORK)));
        if (!(full && healthy && waits && room)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Double.isNaN(network)
                        ? Doubt.likely(new Text("How busy the network is, is not known.", "不知网络有多忙。"))
                        : Doubt.NONE,
                format(
                        "All %1$s upload slots wait for answers, each taking %2$s as before; %3$s writers wait for a slot.",
                        "%1$s 个上传槽都在等待应答，单次仍为 %2$s；有 %3$s 个写入在等槽位。",
                        Say.number(slots),
                        Say.duration(now),
                        Say.number(waiting)),
                List.of(
                        lately.lane(Signal.PUT_SECONDS),
                        lately.lane(Signal.PUT_LATENCY),
                        lately.lane(Signal.PUT_BYTES),
                        lately.lane(Signal.WRITE_SECONDS)),
                List.of(new Reason(
                        new Text("a store that got slower", "对象存储变慢"),
                        format(
                                "a PUT takes %1$s, %2$s before",
                                "一次 PUT %1$s，之前 %2$s", Say.duration(now), Say.duration(before)))),
                Sentences.nodeUnknown(window).map(List::of).orElse(List.of()),
                remedies(facts, slots, lately.mean(Signal.PUT_BYTES)),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double slots, double uploaded) {
        Text verify = new Text("15 % more is uploaded, and a PUT takes no longer", "上传提高 15 % 以上，且单次 PUT 不变慢");
        double more = 2 * slots;
        double buffer = facts.setting(Facts.BUFFER_SIZE_BYTES) / (1 << 20);
        double wanted = Math.max(Double.isNaN(buffer) ? USUAL_BUFFER_MIB : buffer, 2 * BLOCK_MIB * more);
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Upload twice as much at once, and no more than still helps.", "把上传并发加倍，直到不再有收益为止。"),
                facts.remount("--max-uploads " + Say.number(more) + " --buffer-size " + Say.number(Math.ceil(wanted))),
                format(
                        "%1$s → up to %2$s uploaded, as long as the store and the network keep up",
                        "上传 %1$s → 最多 %2$s，前提是对象存储与网络跟得上", Say.rate(uploaded), Say.rate(2 * uploaded)),
                new Text(
                        "4 MiB of memory a slot, twice that with compression; a shared store may refuse requests",
                        "每槽 4 MiB 内存，启用压缩时翻倍；共享对象存储可能限流"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not use --upload-limit for this: it is a bandwidth in Mbit/s, not a number of slots.",
                "不要为此使用 --upload-limit：它是带宽（Mbit/s），不是并发数。")));
        return remedies;
    }
}
