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

/** The volume is nearly full: writes will fail when they are flushed, sometimes after they seemed done. */
final class VolumeCapacity implements Rule {
    private static final String ID = "volume-capacity";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    private static final Bound NEAR = new Bound(ID, "near", 0.85, Unit.RATIO);
    private static final Bound NEARLY_FULL = new Bound(ID, "nearly-full", 0.95, Unit.RATIO);
    /** Without a limit the client reports a pebibyte, and ten mebi inodes more than are used. */
    private static final double NO_SPACE_LIMIT = 1024.0 * 1024 * 1024 * 1024 * 1024;

    private static final double NO_INODE_LIMIT = 10 << 20;
    private static final double GIB = 1 << 30;
    /** What a larger limit is reckoned for. */
    private static final double ROOMY = 0.75;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The volume is nearly full", "卷容量即将用尽"),
            ScopeKind.MOUNT,
            Severity.S3,
            RuleCard.Family.VOLUME,
            List.of(Signal.USED_SPACE, Signal.TOTAL_SPACE));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, NEAR, NEARLY_FULL);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double total = window.series(Signal.TOTAL_SPACE).latest();
        double inodes = window.series(Signal.TOTAL_INODES).latest();
        double usedInodes = window.series(Signal.USED_INODES).latest();
        boolean space = near(
                window,
                checks,
                new Text("share of the volume's space used for four steps", "连续四步占用的空间比例"),
                total < NO_SPACE_LIMIT ? lately.least(Signal.USED_SPACE) / total : Double.NaN);
        boolean files = near(
                window,
                checks,
                new Text("share of the volume's inodes used for four steps", "连续四步占用的 inode 比例"),
                inodes - usedInodes < NO_INODE_LIMIT ? lately.least(Signal.USED_INODES) / inodes : Double.NaN);
        if (!space && !files) {
            return checks.quiet();
        }
        double used = space ? window.series(Signal.USED_SPACE).latest() : usedInodes;
        double limit = space ? total : inodes;
        return new Verdict.Found(Finding.state(
                used / limit >= window.bound(NEARLY_FULL) ? Severity.S2 : Severity.S3,
                Doubt.NONE,
                format(
                        "The volume uses %1$s of its %2$s (%3$s): at the limit writes fail, and some only when they are flushed.",
                        "卷已用 %1$s / %2$s（%3$s）：到达上限后写入失败，有些在刷盘时才失败。",
                        space ? Say.bytes(used) : format("%1$s inodes", "%1$s 个 inode", Say.number(used)),
                        space ? Say.bytes(limit) : Say.number(limit),
                        Say.percent(used / limit)),
                List.of(lately.lane(space ? Signal.USED_SPACE : Signal.USED_INODES)),
                List.of(),
                List.of(new Reason(
                        new Text("limits of the bucket and of directories", "桶与目录配额"),
                        new Text("the mount does not report them here", "挂载点不在此报告"))),
                remedies(new MountFacts(window), space, used),
                checks));
    }

    private static boolean near(Window window, Checks checks, Text what, double share) {
        return checks.atLeast(what, share, window.bound(NEAR), Say::percent);
    }

    private static List<Remedy> remedies(MountFacts facts, boolean space, double used) {
        Text verify = new Text("less than 80 % are used", "占用低于 80 %");
        String option = space
                ? "--capacity " + Say.number(Math.ceil(used / ROOMY / GIB))
                : "--inodes " + (long) Math.ceil(used / ROOMY);
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Raise the limit, if it is meant to grow.", "若本应增长，调高上限。"),
                "juicefs config " + facts.metaUrl() + " " + option,
                format("%1$s of the limit used", "占用降为上限的 %1$s", Say.percent(ROOMY)),
                new Text("hides a job that writes without end", "会掩盖无限写入的任务"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("See what is largest, and what waits in the trash.", "查看最大的目录，以及回收站里的内容。"),
                "juicefs summary " + facts.path() + "\njuicefs status --more " + facts.metaUrl(),
                new Text("deleted files count until the trash is emptied", "已删除文件在清空回收站前仍计入"),
                new Text("--more scans the metadata: not while a job starts", "--more 会扫描元数据：不要在任务启动时执行"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not set --trash-days 0 for space without telling the users: deleted files are gone at once.",
                "不要不告知用户就为腾空间设 --trash-days 0：删除将无法恢复。")));
        return remedies;
    }
}
