package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** The kernel collects dirty pages and writes them all at once: for some seconds the disk serves no reads. */
final class DirtyWritebackBurst implements Rule {
    private static final String ID = "dirty-writeback-burst";
    private static final Bound FALL = new Bound(ID, "written-at-once", 1 << 30, Unit.BYTES);
    private static final Bound SHARE = new Bound(ID, "share-written-at-once", 0.50, Unit.RATIO);
    private static final Bound RISE = new Bound(ID, "disk-times-median", 3, Unit.RATIO);
    private static final Bound TIMES = new Bound(ID, "bursts", 3, Unit.COUNT);
    private static final Bound RECENT = new Bound(ID, "recent-steps", 20, Unit.COUNT);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Dirty pages are written in bursts", "脏页集中刷盘"),
            ScopeKind.HOST,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.MEMORY_DIRTY));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(FALL, SHARE, RISE, TIMES, RECENT);
    }

    @Override
    public Verdict judge(Window window) {
        Checks checks = new Checks();
        List<Integer> falls = falls(window);
        String device = "";
        List<Integer> bursts = List.of();
        for (String disk : falls.isEmpty() ? List.<String>of() : window.parts(Signal.DISK_WRITE_BYTES)) {
            List<Integer> hit = hits(window, falls, disk);
            if (hit.size() > bursts.size()) {
                bursts = hit;
                device = disk;
            }
        }
        checks.add(
                new Text("times that most dirty pages were written at once", "脏页被集中写出的次数"),
                String.valueOf(falls.size()),
                "≥ " + Say.number(window.bound(TIMES)) + ", ≥ " + Say.bytes(window.bound(FALL)),
                falls.size() >= window.bound(TIMES));
        boolean often = checks.atLeast(
                new Text("of these, times that a disk wrote and read at three times its median", "其中磁盘写入与读延迟达中位数三倍的次数"),
                bursts.size(),
                window.bound(TIMES),
                Say::number);
        int since = bursts.isEmpty() ? window.size() : window.now() - bursts.get(bursts.size() - 1);
        boolean recent = checks.add(
                new Text("steps since the last one", "距最近一次的步数"),
                String.valueOf(since),
                "≤ " + window.steps(RECENT),
                since <= window.steps(RECENT));
        if (!often || !recent) {
            return checks.quiet();
        }
        int last = bursts.get(bursts.size() - 1);
        Series latency = window.series(Signal.DISK_READ_LATENCY, device);
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.likely(new Text(
                        "Each time reads of that disk got slower; whose reads they were is not known.",
                        "每次该盘读取都变慢；不知是谁的读取。")),
                format(
                        "%1$d times the kernel wrote gigabytes of dirty pages to %2$s at once; a read there then takes %3$s, %4$s"
                                + " otherwise.",
                        "内核 %1$d 次把数 GiB 脏页集中写到 %2$s；此时读取耗时 %3$s，平时 %4$s。",
                        bursts.size(),
                        device,
                        Say.duration(latency.max(last - 2, last + 1)),
                        Say.duration(latency.median(0, window.size()))),
                List.of(
                        Evidence.fall(window.series(Signal.MEMORY_DIRTY), Math.max(0, last - 2), last + 1),
                        Evidence.rise(window.series(Signal.DISK_WRITE_BYTES, device), Math.max(0, last - 2), last + 1),
                        Evidence.rise(latency, Math.max(0, last - 2), last + 1)),
                List.of(),
                List.of(),
                remedies(),
                checks));
    }

    /** Steps in which more than half of the dirty pages, and a gibibyte at least, were gone. */
    private static List<Integer> falls(Window window) {
        Series dirty = window.series(Signal.MEMORY_DIRTY);
        List<Integer> falls = new ArrayList<>();
        if (!(dirty.max(0, window.size()) >= window.bound(FALL))) {
            return falls;
        }
        for (int i = 1; i < window.size(); i++) {
            double before = dirty.max(i - 2, i);
            double gone = before - dirty.at(i);
            boolean again = !falls.isEmpty() && i - falls.get(falls.size() - 1) <= 2;
            if (gone >= window.bound(FALL) && gone >= window.bound(SHARE) * before && !again) {
                falls.add(i);
            }
        }
        return falls;
    }

    private static List<Integer> hits(Window window, List<Integer> falls, String disk) {
        Series written = window.series(Signal.DISK_WRITE_BYTES, disk);
        Series latency = window.series(Signal.DISK_READ_LATENCY, disk);
        double leastWritten = window.bound(RISE) * written.median(0, window.size());
        double leastLatency = window.bound(RISE) * latency.median(0, window.size());
        return falls.stream()
                .filter(i -> written.max(i - 2, i + 1) >= leastWritten && latency.max(i - 2, i + 1) >= leastLatency)
                .toList();
    }

    private static List<Remedy> remedies() {
        Text verify = new Text("no read of that disk takes three times its median", "该盘读取不再达到中位数三倍");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Let the kernel write earlier, and less at once.", "让内核更早、更少量地写出。"),
                "sysctl -w vm.dirty_background_bytes=268435456 vm.dirty_bytes=1073741824",
                new Text("at most 1 GiB is written at once; the queue of the disk halves", "一次最多写 1 GiB；磁盘队列减半"),
                new Text("short bursts of writing are slower; for all programs of the host", "短时写入变慢；影响整机"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not set vm.dirty_ratio near 0: every writer then waits for the disk.",
                "不要把 vm.dirty_ratio 设到接近 0：所有写入都会等磁盘。")));
        return remedies;
    }
}
