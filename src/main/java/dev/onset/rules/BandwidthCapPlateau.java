package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** A limit that somebody set is the ceiling: the rate is flat just below it while somebody waits for more. */
final class BandwidthCapPlateau implements Rule {
    private static final String ID = "bandwidth-cap-plateau";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound FLAT = new Bound(ID, "most-variation", 0.05, Unit.RATIO);
    /** The client fills its bucket at 85 % of the limit. */
    private static final Bound NEAR = new Bound(ID, "least-share-of-the-limit", 0.75, Unit.RATIO);

    private static final Bound READERS = new Bound(ID, "readers-waiting", 1, Unit.IN_FLIGHT);
    private static final Bound SLOTS = new Bound(ID, "upload-slots-in-use", 0.80, Unit.RATIO);
    private static final Bound ASKED = new Bound(ID, "share-of-slots-at-the-store", 0.20, Unit.RATIO);
    private static final double BITS_OF_MEGABIT = 1e6;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("A configured bandwidth limit is the ceiling", "限速配置成为瓶颈"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.GET_BYTES, Signal.PUT_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, FLAT, NEAR, READERS, SLOTS, ASKED);
    }

    @Override
    public Verdict judge(Window window) {
        MountFacts facts = new MountFacts(window);
        if (!facts.configKnown()) {
            return new Verdict.Unsure(List.of(Sentences.configUnknown()));
        }
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double readers = lately.median(Signal.READ_SECONDS);
        boolean down = plateau(
                window,
                lately,
                checks,
                Signal.GET_BYTES,
                facts.setting(Facts.DOWNLOAD_LIMIT_BYTES),
                new Text("download", "下载"));
        boolean read =
                checks.atLeast(new Text("readers that wait", "等待读取的数量"), readers, window.bound(READERS), Say::number);
        double slots = lately.median(Signal.UPLOAD_SLOTS);
        double atStore = lately.median(Signal.PUT_SECONDS);
        boolean up = plateau(
                window,
                lately,
                checks,
                Signal.PUT_BYTES,
                facts.setting(Facts.UPLOAD_LIMIT_BYTES),
                new Text("upload", "上传"));
        boolean full = checks.atLeast(
                new Text("share of the upload slots in use", "占用的上传槽比例"),
                slots / facts.setting(Facts.MAX_UPLOADS),
                window.bound(SLOTS),
                Say::percent);
        // Time in the limiter counts for the slot and not for the request.
        boolean held = checks.below(
                new Text("share of those slots that wait for the store", "其中在等对象存储的比例"),
                atStore / slots,
                window.bound(ASKED),
                Say::percent);
        boolean downloads = down && read;
        if (!(downloads || (up && full && held))) {
            return checks.quiet();
        }
        Signal signal = downloads ? Signal.GET_BYTES : Signal.PUT_BYTES;
        double limit = facts.setting(downloads ? Facts.DOWNLOAD_LIMIT_BYTES : Facts.UPLOAD_LIMIT_BYTES);
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s stay at %2$s, just below the limit of %3$s that is set, while %4$s wait.",
                        "%1$s停在 %2$s，略低于所设上限 %3$s，而有 %4$s 在等待。",
                        downloads ? new Text("Downloads", "下载") : new Text("Uploads", "上传"),
                        Say.rate(lately.median(signal)),
                        Say.rate(limit),
                        downloads
                                ? format("%1$s readers", "%1$s 个读取", Say.number(readers))
                                : format("%1$s upload slots", "%1$s 个上传槽", Say.number(slots))),
                List.of(
                        lately.lane(signal),
                        lately.lane(downloads ? Signal.READ_SECONDS : Signal.UPLOAD_SLOTS),
                        lately.lane(downloads ? Signal.GET_LATENCY : Signal.PUT_LATENCY)),
                List.of(new Reason(
                        new Text("a slow object store", "对象存储变慢"),
                        format(
                                "a request takes %1$s; waiting in the limiter is not part of it",
                                "单次请求 %1$s；限速等待不计入其中",
                                Say.duration(lately.median(downloads ? Signal.GET_LATENCY : Signal.PUT_LATENCY))))),
                List.of(),
                remedies(facts, downloads, limit, lately.median(signal)),
                checks));
    }

    private static boolean plateau(
            Window window, Lately lately, Checks checks, Signal signal, double limit, Text what) {
        Series series = window.series(signal);
        double median = lately.median(signal);
        double spread = (lately.most(signal) - lately.least(signal)) / 2 / median;
        boolean near = checks.add(
                format("%1$s as a share of its limit", "%1$s占上限的比例", what),
                limit > 0 ? Say.percent(median / limit) : "–",
                Say.percent(window.bound(NEAR)) + " – 100 %",
                limit > 0 && median >= window.bound(NEAR) * limit && median <= limit);
        boolean flat = checks.add(
                format("%1$s varies by", "%1$s的波动", what),
                Say.percent(spread),
                "≤ " + Say.percent(window.bound(FLAT)),
                lately.watched(signal) && spread <= window.bound(FLAT) && series.present(window.now()));
        return near && flat;
    }

    private static List<Remedy> remedies(MountFacts facts, boolean downloads, double limit, double now) {
        String flag = downloads ? "--download-limit" : "--upload-limit";
        Text verify = format("the rate leaves %1$s", "速率离开 %1$s", Say.rate(now));
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                format(
                        "Ask who set the limit of %1$s Mbit/s, and raise or remove it.",
                        "确认是谁设了 %1$s Mbit/s 的上限，再调高或取消。", Say.number(limit * 8 / BITS_OF_MEGABIT)),
                "juicefs config " + facts.metaUrl() + " " + flag + " 0",
                new Text(
                        "as fast as the network and the store allow; a mount that was given the option itself keeps it until"
                                + " it is mounted again without",
                        "取决于网络与对象存储；若挂载时自带该参数，需去掉后重新挂载才生效"),
                new Text(
                        "what it protected is unprotected: cache reads under writeback, or the neighbours' network",
                        "它原来保护的对象不再受保护：写回时的缓存读取，或邻居的网络"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not tune read-ahead or concurrency below a limit: nothing gets through it.",
                "在限速之下不要调预读或并发：都过不去。")));
        return remedies;
    }
}
