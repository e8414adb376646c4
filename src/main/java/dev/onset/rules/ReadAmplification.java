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

/** Small reads at random places fetch whole blocks: much more comes from the store than anybody reads. */
final class ReadAmplification implements Rule {
    private static final String ID = "read-amplification";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound AMPLIFIED = new Bound(ID, "downloaded-per-byte-read", 2, Unit.RATIO);
    private static final Bound GREATLY = new Bound(ID, "greatly", 5, Unit.RATIO);
    private static final Bound DOWNLOADED = new Bound(ID, "downloaded", 20 << 20, Unit.BYTES_PER_SECOND);
    private static final Bound READ = new Bound(ID, "read", 5 << 20, Unit.BYTES_PER_SECOND);
    private static final Bound READS = new Bound(ID, "reads", 50, Unit.PER_SECOND);
    private static final Bound COMPACTED = new Bound(ID, "compactions", 1, Unit.PER_SECOND);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Far more is downloaded than read", "下载量远大于读取量"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.STORAGE,
            List.of(Signal.GET_BYTES, Signal.FUSE_READ_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, AMPLIFIED, GREATLY, DOWNLOADED, READ, READS, COMPACTED);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double read = lately.mean(Signal.FUSE_READ_BYTES);
        double downloaded = lately.mean(Signal.GET_BYTES);
        double reads = lately.median(Signal.READS);
        double compactions = lately.mean(Signal.COMPACTIONS);
        double errors = lately.mean(Signal.OBJECT_ERRORS);
        double amplified = downloaded / read;
        boolean much = checks.add(
                new Text("downloaded in each of the last steps", "最近每一步的下载量"),
                Say.rate(lately.least(Signal.GET_BYTES)),
                "≥ " + Say.rate(window.floor(DOWNLOADED)),
                lately.watched(Signal.GET_BYTES) && lately.least(Signal.GET_BYTES) >= window.floor(DOWNLOADED));
        boolean wasted = checks.atLeast(
                new Text("bytes downloaded for each byte read", "每读一字节所下载的字节"),
                amplified,
                window.bound(AMPLIFIED),
                Say::times);
        // A warm-up downloads without reading: that is no waste.
        boolean somebodyReads = checks.add(
                new Text("applications read", "应用在读取"),
                Say.rate(read) + ", " + Say.perSecond(reads),
                "≥ " + Say.rate(window.floor(READ)) + " / ≥ " + Say.perSecond(window.floor(READS)),
                read >= window.floor(READ) || reads >= window.floor(READS));
        boolean quietInside = checks.add(
                new Text("compaction does not download", "压实没有在下载"),
                Say.perSecond(compactions),
                "< " + Say.perSecond(window.floor(COMPACTED)),
                !(compactions >= window.floor(COMPACTED)));
        boolean clean = checks.add(
                new Text("nothing is downloaded again after a failure", "没有失败后的重复下载"),
                Say.perSecond(errors),
                "< 1 % " + Say.perSecond(lately.mean(Signal.GETS)),
                !(errors >= 0.01 * lately.mean(Signal.GETS)));
        if (!(much && wasted && somebodyReads && quietInside && clean)) {
            return checks.quiet();
        }
        MountFacts facts = new MountFacts(window);
        double size = read / reads;
        return new Verdict.Found(Finding.state(
                amplified >= window.bound(GREATLY) ? Severity.S2 : Severity.S3,
                Doubt.NONE,
                format(
                        "%1$s is downloaded for %2$s that applications read (%3$s): reads of %4$s on average fetch whole blocks.",
                        "应用读取 %2$s，却下载 %1$s（%3$s）：平均 %4$s 的读取引发整块下载。",
                        Say.rate(downloaded),
                        Say.rate(read),
                        Say.times(amplified),
                        Say.bytes(size)),
                List.of(
                        lately.lane(Signal.READ_AMPLIFICATION),
                        lately.lane(Signal.GET_BYTES),
                        lately.lane(Signal.FUSE_READ_BYTES),
                        lately.lane(Signal.GETS)),
                List.of(
                        new Reason(
                                new Text("a warm-up", "预热"),
                                format("applications read %1$s meanwhile", "同时应用在读取 %1$s", Say.rate(read))),
                        new Reason(
                                new Text("requests that are repeated after errors", "出错后的重试"),
                                format("%1$s failed", "失败 %1$s", Say.perSecond(errors)))),
                facts.configKnown() ? List.of() : List.of(Sentences.configUnknown()),
                remedies(facts, amplified, downloaded),
                checks));
    }

    private static List<Remedy> remedies(MountFacts facts, double amplified, double downloaded) {
        Text verify = new Text("less than 1.5 bytes are downloaded for each byte read", "每读一字节下载低于 1.5 字节");
        List<Remedy> remedies = new ArrayList<>();
        boolean prefetches = !facts.known(Facts.PREFETCH) || facts.isSet(Facts.PREFETCH);
        boolean readsAhead =
                facts.mayHave(1, 3) && (!facts.known(Facts.READAHEAD_BYTES) || facts.isSet(Facts.READAHEAD_BYTES));
        if (prefetches || readsAhead) {
            String options =
                    prefetches ? "--prefetch 0" + (readsAhead ? " --max-readahead 0" : "") : "--max-readahead 0";
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Do not fetch what nobody asked for, if reads are at random and do not come back to a block soon.",
                            "若读取是随机的且短期内不回到同一块：不要预取没人要的数据。"),
                    facts.remount(options),
                    format(
                            "%1$s → %2$s downloaded, if no block is read twice within the cache's life",
                            "下载 %1$s → %2$s，前提是块在缓存存续期内不被重复读取", Say.rate(downloaded), Say.rate(downloaded / amplified)),
                    new Text(
                            "what is read nearby then costs a request each: watch get_ops",
                            "相邻读取将各发一次请求：请同时观察 get_ops"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Pack samples into files that are read from begin to end (TFRecord, WebDataset).",
                        "把样本打包成顺序读取的大文件（TFRecord、WebDataset）。"),
                "",
                new Text("about one byte downloaded for each byte read", "每读一字节约下载一字节"),
                new Text("the data set must be written anew", "需要重写数据集"),
                verify));
        remedies.add(CacheRemedies.NO_PREFETCH);
        return remedies;
    }
}
