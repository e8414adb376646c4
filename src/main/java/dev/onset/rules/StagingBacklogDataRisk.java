package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** Blocks that the application believes safe exist on one local disk only, and more come than are uploaded. */
final class StagingBacklogDataRisk implements Rule {
    private static final double MIB = 1 << 20;
    private static final double GIB = 1 << 30;
    /** Deleted files leave the gauge off by a few blocks. */
    private static final double NOISE = 64 * MIB;

    private static final double FLOOR = GIB;
    private static final double LARGE = 10 * GIB;
    private static final double LONGEST_DRAIN_SECONDS = 30 * 60;
    private static final int GROWING = 20;
    private static final int STUCK = 8;
    private static final double STUCK_UPLOAD = MIB;
    private static final double OLD_SECONDS = 3600;
    private static final double FULL_DISK = 0.05;
    private static final int MORE_UPLOADS = 40;

    private static final RuleCard CARD = new RuleCard(
            "staging-backlog-data-risk",
            new Text("Data waits for upload on one disk", "数据积压在本地盘等待上传"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.SAFETY,
            List.of(Signal.STAGING_BYTES, Signal.STAGING_BLOCKS));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** One mount, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final MountFacts facts;
        private final Series staging;
        private final Series put;
        private final double backlog;
        private final double upload;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            staging = window.series(Signal.STAGING_BYTES);
            put = window.series(Signal.PUT_BYTES);
            backlog = staging.latest();
            upload = orZero(put.mean(window.size() - window.axis().steps(STUCK), window.size()));
        }

        Verdict verdict() {
            boolean large = checks.add(
                    new Text("much waits", "积压很大"), Say.bytes(backlog), "> " + Say.bytes(LARGE), backlog > LARGE);
            boolean slow = checks.add(
                    new Text("it takes long to drain at the present rate", "按当前速率清空需要很久"),
                    Say.duration(drainSeconds()),
                    "> " + Say.duration(LONGEST_DRAIN_SECONDS) + ", ≥ " + Say.bytes(FLOOR),
                    backlog >= FLOOR && lasting(FLOOR) && drainSeconds() > LONGEST_DRAIN_SECONDS);
            boolean growing = checks.add(
                    new Text("it has grown for five minutes", "五分钟来持续增长"),
                    Say.bytes(backlog),
                    "≥ " + Say.bytes(FLOOR),
                    backlog >= FLOOR && growing());
            boolean stuck = checks.add(
                    new Text("next to nothing is uploaded for two minutes", "两分钟来几乎没有上传"),
                    Say.rate(upload),
                    "< " + Say.rate(STUCK_UPLOAD) + ", > " + Say.bytes(NOISE),
                    lasting(NOISE) && upload < STUCK_UPLOAD);
            return large || slow || growing || stuck ? new Verdict.Found(finding(stuck, growing)) : checks.quiet();
        }

        private double drainSeconds() {
            return upload > 0 ? backlog / upload : backlog > 0 ? Double.POSITIVE_INFINITY : 0;
        }

        /** Above this for two minutes; a burst that is being uploaded is what staging is for. */
        private boolean lasting(double least) {
            int steps = window.axis().steps(STUCK);
            for (int i = window.size() - steps; i < window.size(); i++) {
                if (!(staging.at(i) > least)) {
                    return false;
                }
            }
            return true;
        }

        /** Each quarter of the time higher than the one before: a saw tooth that drains is not growth. */
        private boolean growing() {
            int quarter = window.axis().steps(GROWING) / 4;
            double last = -1;
            for (int q = 4; q > 0; q--) {
                int from = window.size() - q * quarter;
                double median = staging.median(from, from + quarter);
                if (from < 0 || !(median > last)) {
                    return false;
                }
                last = median;
            }
            return true;
        }

        /** At least so old: it was never drained since, and what was uploaded since does not make it up. */
        private double ageSeconds() {
            double step = window.axis().stepMillis() / 1e3;
            double uploaded = 0;
            int i = window.now();
            while (i > 0 && staging.at(i - 1) > NOISE) {
                uploaded += orZero(put.at(i)) * step;
                if (uploaded >= backlog) {
                    break;
                }
                i--;
            }
            return (window.now() - i) * step;
        }

        private boolean delayed() {
            return facts.isSet(Facts.UPLOAD_DELAY_NANOS) || facts.isSet(Facts.UPLOAD_HOURS);
        }

        /** Free share of the file system with the cache; NaN where it is not known. */
        private double free() {
            String folder = window.fact(Facts.CACHE_DIR);
            String best = "";
            for (String root : window.parts(Signal.FS_SIZE)) {
                boolean holds = folder != null
                        && (folder.equals(root) || folder.startsWith(root.endsWith("/") ? root : root + "/"));
                best = holds && root.length() > best.length() ? root : best;
            }
            return best.isEmpty()
                    ? Double.NaN
                    : window.series(Signal.FS_AVAILABLE, best).latest()
                            / window.series(Signal.FS_SIZE, best).latest();
        }

        private Severity severity() {
            if (free() < FULL_DISK) {
                return Severity.S1;
            }
            if (delayed()) {
                return Severity.S4;
            }
            return ageSeconds() > OLD_SECONDS ? Severity.S1 : Severity.S2;
        }

        private Finding finding(boolean stuck, boolean growing) {
            double age = ageSeconds();
            int start = Math.max(0, window.now() - window.axis().steps(GROWING));
            return new Finding(
                    severity(),
                    Confidence.CONFIRMED,
                    Text.same(""),
                    format(
                            "%1$s in %2$s blocks exist only on the cache disk of this host, some for at least %3$s; %4$s are"
                                    + " uploaded.",
                            "%1$s（%2$s 块）只存在于本机缓存盘，其中一些已至少 %3$s；当前上传 %4$s。",
                            Say.bytes(backlog),
                            Say.number(window.series(Signal.STAGING_BLOCKS).latest()),
                            Say.duration(age),
                            Say.rate(upload)),
                    delayed()
                            ? new Text(
                                    "The mount is told to upload late: this is the price, not a fault.",
                                    "挂载点被设置为延迟上传：这是代价而非故障。")
                            : stuck || Double.isInfinite(drainSeconds())
                                    ? new Text("The upload stands still.", "上传停滞。")
                                    : growing
                                            ? new Text("More is written than uploaded.", "写入快于上传。")
                                            : format(
                                                    "At this rate it is drained in %1$s.",
                                                    "按此速率 %1$s 后清空。", Say.duration(drainSeconds())),
                    List.of(),
                    null,
                    List.of(
                            Evidence.rise(staging, start, window.size()),
                            Evidence.rise(window.series(Signal.STAGED_BYTES), start, window.size()),
                            Evidence.rise(put, start, window.size()),
                            Evidence.rise(window.series(Signal.PUT_LATENCY), start, window.size()),
                            Evidence.rise(window.series(Signal.OBJECT_ERRORS), start, window.size())),
                    ruledOut(),
                    unknown(),
                    subCauses(),
                    remedies(),
                    List.of(),
                    checks.all());
        }

        private List<Reason> ruledOut() {
            List<Reason> ruledOut = new ArrayList<>();
            if (facts.configKnown() && !delayed()) {
                ruledOut.add(new Reason(
                        new Text("a delay that is configured", "配置的延迟上传"),
                        new Text("no upload delay and no upload hours are set", "未设上传延迟和上传时段")));
            }
            if (window.series(Signal.OBJECT_ERRORS)
                            .max(window.size() - window.axis().steps(STUCK), window.size())
                    == 0) {
                ruledOut.add(new Reason(
                        new Text("a store that refuses uploads", "对象存储拒绝上传"), new Text("no request failed", "没有失败请求")));
            }
            return ruledOut;
        }

        private List<Reason> unknown() {
            List<Reason> unknown = new ArrayList<>();
            if (!facts.configKnown()) {
                unknown.add(Sentences.configUnknown());
            }
            if (Double.isNaN(free())) {
                unknown.add(new Reason(
                        new Text("free space of the cache disk", "缓存盘剩余空间"),
                        new Text("needs the mount's options and a node exporter", "需要挂载参数和 node exporter")));
            }
            unknown.add(new Reason(
                    new Text("whether the disk is redundant", "磁盘是否冗余"), new Text("no exporter tells", "没有指标说明")));
            return unknown;
        }

        private List<String> subCauses() {
            double errors = window.series(Signal.OBJECT_ERRORS)
                    .mean(window.size() - window.axis().steps(STUCK), window.size());
            return errors > 0 ? List.of("object-store-throttling-errors") : List.of();
        }

        private List<Remedy> remedies() {
            Text verify = new Text("juicefs_staging_blocks reaches 0", "juicefs_staging_blocks 归零");
            List<Remedy> remedies = new ArrayList<>();
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Pause what writes through this mount until it has drained.", "暂停经由该挂载点的写入，直至清空。"),
                    "",
                    Double.isInfinite(drainSeconds())
                            ? new Text("the backlog stops growing", "积压不再增长")
                            : format(
                                    "drained in about %1$s at %2$s",
                                    "以 %2$s 约 %1$s 清空", Say.duration(drainSeconds()), Say.rate(upload)),
                    new Text("the job waits", "任务等待"),
                    verify));
            if (!facts.known(Facts.UPLOAD_LIMIT_BYTES) || facts.isSet(Facts.UPLOAD_LIMIT_BYTES)) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Lift the upload limit of the volume.", "取消卷的上传限速。"),
                        "juicefs config " + facts.metaUrl() + " --upload-limit 0",
                        new Text(
                                "uploads as fast as the uplink; without effect if the mount sets a limit of its own",
                                "按带宽上传；若挂载点自设限速则无效"),
                        new Text("takes bandwidth from reads", "占用读取带宽"),
                        verify));
            }
            double uploads = facts.setting(Facts.MAX_UPLOADS);
            if (!(uploads >= MORE_UPLOADS) && subCauses().isEmpty()) {
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("When it has drained: more uploads at once.", "清空之后：提高同时上传数。"),
                        "juicefs mount -d --writeback --max-uploads " + MORE_UPLOADS + " " + facts.metaUrl() + " "
                                + facts.path(),
                        format(
                                "uploads at once: %1$s → %2$d",
                                "同时上传：%1$s → %2$d", Double.isNaN(uploads) ? "20" : Say.number(uploads), MORE_UPLOADS),
                        new Text(
                                "more load on the store; a remount with its other options as now, never while blocks are staged",
                                "对象存储压力增大；需重挂且其余参数照旧，有暂存块时绝不可重挂"),
                        verify));
            }
            remedies.add(Remedy.doNot(new Text(
                    "Do not delete rawstaging, change --cache-dir, replace the disk or the node: these blocks exist nowhere else."
                            + " If the mount died, mount again with the same --cache-dir.",
                    "不要删除 rawstaging、更换 --cache-dir、磁盘或节点：这些块别处没有。若挂载已退出，用同一 --cache-dir 重新挂载。")));
            return remedies;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
