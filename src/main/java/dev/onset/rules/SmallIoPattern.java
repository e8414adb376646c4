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

/** Many small files or small reads: the number of round trips sets the speed, not the bandwidth. */
final class SmallIoPattern implements Rule {
    private static final String ID = "small-io-pattern";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound OPENS = new Bound(ID, "opens", 100, Unit.PER_SECOND);
    private static final Bound SMALL_READ = new Bound(ID, "small-read", 32 << 10, Unit.BYTES);
    private static final Bound SMALL_FILE = new Bound(ID, "small-file", 1 << 20, Unit.BYTES);
    private static final Bound METADATA = new Bound(ID, "metadata-waiting-per-read-waiting", 0.50, Unit.RATIO);
    /** By Little's law: somebody always waits for metadata. Below it the round trips are hidden, and the pattern hurts nobody. */
    private static final Bound WAITING = new Bound(ID, "metadata-calls-waiting", 1, Unit.IN_FLIGHT);

    private static final Bound CPU = new Bound(ID, "client-cpu-share", 0.80, Unit.RATIO);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Small files and small reads set the speed", "小文件与小读取决定速度"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.OPENS, Signal.FUSE_READ_BYTES, Signal.READS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, OPENS, SMALL_READ, SMALL_FILE, METADATA, WAITING, CPU);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double opens = lately.least(Signal.OPENS);
        double bytes = lately.mean(Signal.FUSE_READ_BYTES);
        double perRead = bytes / lately.mean(Signal.READS);
        double perOpen = bytes / lately.mean(Signal.OPENS);
        double metadata = lately.median(Signal.META_SECONDS) / lately.median(Signal.READ_SECONDS);
        double cpu = lately.median(Signal.CLIENT_CPU) / ClientCpu.limit(window);
        boolean many = checks.add(
                new Text("files opened, in each of the last steps", "最近每一步打开的文件"),
                Say.perSecond(opens),
                "≥ " + Say.perSecond(window.floor(OPENS)),
                lately.watched(Signal.OPENS) && opens >= window.floor(OPENS));
        boolean smallReads =
                checks.below(new Text("mean size of a read", "平均读取大小"), perRead, window.bound(SMALL_READ), Say::bytes);
        boolean smallFiles = checks.below(
                new Text("bytes read for each file opened", "每打开一个文件读取的字节"),
                perOpen,
                window.bound(SMALL_FILE),
                Say::bytes);
        boolean waits = checks.atLeast(
                new Text("waiting for metadata, compared with waiting for data", "等待元数据与等待数据之比"),
                metadata,
                window.bound(METADATA),
                Say::percent);
        boolean always = checks.atLeast(
                new Text("metadata calls under way at any time", "同时进行的元数据请求"),
                lately.median(Signal.META_SECONDS),
                window.bound(WAITING),
                Say::number);
        boolean busy = checks.atLeast(
                new Text("share of the client's CPU limit", "占客户端 CPU 上限的比例"), cpu, window.bound(CPU), Say::percent);
        // Somebody must read at all: a listing opens nothing and is another rule's case.
        if (!(many && (smallReads || smallFiles) && ((waits && always) || busy))) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s files are opened, %2$s read from each in reads of %3$s; waiting for metadata is %4$s of waiting for"
                                + " data.",
                        "每秒打开 %1$s 个文件，每个读 %2$s，单次 %3$s；等待元数据是等待数据的 %4$s。",
                        Say.perSecond(lately.mean(Signal.OPENS)),
                        Say.bytes(perOpen),
                        Say.bytes(perRead),
                        Say.percent(metadata)),
                List.of(
                        lately.lane(Signal.OPENS),
                        lately.lane(Signal.FUSE_READ_BYTES),
                        lately.lane(Signal.META_SECONDS),
                        lately.lane(Signal.READ_SECONDS),
                        lately.lane(Signal.CLIENT_CPU)),
                List.of(),
                List.of(),
                remedies(new MountFacts(window), perOpen),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double perOpen) {
        Text verify = new Text("fewer opens a sample, and more samples a second", "每样本打开次数下降，每秒样本数上升");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Pack samples into shards of 100 MB and more.", "把样本打包成 100 MB 以上的分片。"),
                "",
                format(
                        "an open for each 100 MB instead of each %1$s",
                        "每 100 MB 打开一次，而不是每 %1$s 一次", Say.bytes(perOpen)),
                new Text("the data set must be written anew; shuffling works within shards", "需要重写数据集；打乱在分片内进行"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Hide the round trips: more loader workers that stay alive.", "用更多常驻的加载进程掩盖往返。"),
                "DataLoader(…, num_workers=16, prefetch_factor=4, persistent_workers=True)",
                new Text("samples a second grow with the workers until a CPU is full", "样本速率随进程数增长，直到 CPU 用满"),
                new Text("memory and CPU for each worker", "每个进程占内存与 CPU"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Open files that do not change without asking each time.", "对不变的文件，打开时不再每次询问。"),
                facts.remount("--open-cache 60 --attr-cache 60 --entry-cache 60"),
                new Text(
                        "one metadata call less for each file that is opened again within a minute",
                        "一分钟内重复打开的文件各少一次元数据请求"),
                new Text("changes by other nodes are seen up to a minute late", "其他节点的修改最多晚一分钟可见"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not answer this with --buffer-size or --max-uploads: the number of round trips stays the same.",
                "不要用 --buffer-size 或 --max-uploads 应对：往返次数不变。")));
        return remedies;
    }
}
