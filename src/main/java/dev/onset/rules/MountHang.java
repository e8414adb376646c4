package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * No call into the mount finishes although files are open and its metrics look alive: they share no path with it. A pause
 * looks the same to counters, so that a witness is needed.
 */
final class MountHang implements Rule {
    private static final double LEAST_READS = 5;
    private static final int STILL = 2;
    private static final int REMEMBERED = 4;
    private static final double LONG_SECONDS = 60;
    private static final double BEYOND = 2;
    private static final double WAITED_SHARE = 0.8;

    private static final RuleCard CARD = new RuleCard(
            "mount-hang",
            new Text("The mount stopped answering", "挂载点卡死"),
            ScopeKind.MOUNT,
            Severity.S1,
            RuleCard.Family.SAFETY,
            List.of(Signal.READS, Signal.OPEN_HANDLES));

    /** Who tells a hang from a pause. */
    private enum Witness {
        REDIS(
                new Text(
                        "Redis answers no ping meanwhile: the client waits for metadata.",
                        "期间 Redis 不应答 ping：客户端在等元数据。"),
                new Text("Bring Redis back.", "恢复 Redis。")),
        STORE(
                new Text(
                        "Requests to the object store fail meanwhile, and nothing is staged: the client waits for the store.",
                        "期间对象存储请求出错，且没有暂存块：客户端在等对象存储。"),
                new Text("Bring the object store back.", "恢复对象存储。")),
        AFTERWARDS(
                new Text(
                        "When it went on, reads had waited longer than all readers together could have since.",
                        "恢复后计入的读取等待超过全部读者此后可能的等待。"),
                new Text("Find what held it: its stacks tell, the next time.", "查明卡在何处：下次卡死时抓取其堆栈。"));

        private final Text text;
        private final Text repair;

        Witness(Text text, Text repair) {
            this.text = text;
            this.repair = repair;
        }
    }

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
        private final Series reads;
        private final Series reading;
        private final Series handles;
        private int from;
        private int to;

        Case(Window window) {
            this.window = window;
            facts = new MountFacts(window);
            reads = window.series(Signal.READS);
            reading = window.series(Signal.READ_SECONDS);
            handles = window.series(Signal.OPEN_HANDLES);
        }

        Verdict verdict() {
            to = window.size();
            int oldest = window.size() - window.axis().steps(REMEMBERED);
            while (to > Math.max(0, oldest) && !still(to - 1)) {
                to--;
            }
            from = to;
            while (from > 0 && still(from - 1)) {
                from--;
            }
            boolean stopped = checks.add(
                    new Text("nothing finished for two steps while files were open", "有打开的文件，但两步内没有操作完成"),
                    to - from + "",
                    "≥ " + window.axis().steps(STILL),
                    to - from >= window.axis().steps(STILL));
            double before = Evidence.before(reads, from);
            boolean busy = checks.add(
                    new Text("it was read from before", "此前有读取"),
                    Say.perSecond(before),
                    "≥ " + Say.perSecond(LEAST_READS * window.floorScale()),
                    before >= LEAST_READS * window.floorScale());
            if (!stopped || !busy) {
                return checks.quiet();
            }
            Witness witness = witness();
            checks.add(
                    new Text("a witness tells it from a pause", "有旁证可与暂停区分"),
                    witness == null ? "–" : witness.name().toLowerCase(Locale.ROOT),
                    "redis, store, afterwards",
                    witness != null);
            if (witness != null) {
                return new Verdict.Found(finding(witness));
            }
            boolean goesOn = to == window.size();
            return goesOn && !pauses()
                    ? new Verdict.Unsure(List.of(new Reason(
                            new Text("whether the mount hangs", "挂载点是否卡死"),
                            new Text(
                                    "files are open and no operation finishes: a pause and a hang look the same to counters",
                                    "有打开的文件但没有操作完成：从计数器看暂停与卡死无法区分"))))
                    : checks.quiet();
        }

        private boolean still(int index) {
            return reads.at(index) == 0
                    && orZero(window.series(Signal.FUSE_WRITE_BYTES).at(index)) == 0
                    && handles.at(index) > 0;
        }

        /** The loop says so itself, or goes on: what it reads lies in the page cache. */
        private boolean pauses() {
            return window.series(Signal.PHASE_EVAL).latest() == 1
                    || window.series(Signal.SAMPLES).at(window.now()) > 0
                    || window.series(Signal.DATA_WAIT).at(window.now()) < 0.1;
        }

        private @Nullable Witness witness() {
            if (stepsAbove(Signal.RTT_LOST) >= window.axis().steps(STILL)) {
                return Witness.REDIS;
            }
            boolean nothingStaged = !(window.series(Signal.STAGING_BYTES).max(from, to) > 0);
            if (nothingStaged
                    && stepsAbove(Signal.OBJECT_ERRORS) >= window.axis().steps(STILL)) {
                return Witness.STORE;
            }
            // What waited all the time is counted when it is done: more than so many readers can wait in a step.
            double after = reading.max(to, to + 2);
            double most = Math.max(orZero(reading.max(0, from)), orZero(handles.max(0, to)));
            boolean beyond = after >= BEYOND * most && after >= WAITED_SHARE * (to - from);
            return beyond ? Witness.AFTERWARDS : null;
        }

        private int stepsAbove(Signal signal) {
            Series series = window.series(signal);
            int steps = 0;
            for (int i = from; i < to; i++) {
                steps += series.at(i) > 0 ? 1 : 0;
            }
            return steps;
        }

        private Finding finding(Witness witness) {
            double seconds = (to - from) * window.axis().stepMillis() / 1e3;
            boolean goesOn = to == window.size();
            return new Finding(
                    seconds >= LONG_SECONDS ? Severity.S1 : Severity.S2,
                    Confidence.LIKELY,
                    new Text(
                            "Counters alone cannot see a call that waits; a witness stands in.",
                            "计数器看不到正在等待的调用，只能靠旁证。"),
                    format(
                            goesOn
                                    ? "No call into this mount has finished for %1$s, with %2$s files open; before, there were %3$s"
                                            + " reads."
                                    : "No call into this mount finished for %1$s, with %2$s files open; it goes on again.",
                            goesOn
                                    ? "该挂载点已 %1$s 没有任何调用完成，打开的文件有 %2$s 个；此前读取为 %3$s。"
                                    : "该挂载点曾 %1$s 没有任何调用完成，打开的文件有 %2$s 个；现已恢复。",
                            Say.duration(seconds),
                            Say.number(handles.max(from, to)),
                            Say.perSecond(Evidence.before(reads, from))),
                    witness.text,
                    List.of(new Onset(
                            reads.scope(),
                            Signal.READS,
                            "",
                            Math.min(reads.fromMillis(from), reads.toMillis(from)),
                            reads.toMillis(from))),
                    null,
                    List.of(
                            Evidence.fall(reads, from, to),
                            Evidence.rise(reading, from, Math.min(window.size(), to + 2)),
                            Evidence.rise(handles, from, to),
                            Evidence.rise(window.series(Signal.RTT_LOST), from, to),
                            Evidence.rise(window.series(Signal.OBJECT_ERRORS), from, to),
                            Evidence.fall(window.series(Signal.UTILISATION), from, to)),
                    ruledOut(),
                    List.of(new Reason(
                            new Text("how many calls wait now", "当前有多少调用在等"),
                            new Text(
                                    "/sys/fs/fuse/connections/*/waiting on that host tells",
                                    "该主机的 /sys/fs/fuse/connections/*/waiting 可知"))),
                    witness == Witness.STORE ? List.of("object-store-throttling-errors") : List.of(),
                    remedies(witness),
                    List.of(),
                    checks.all());
        }

        private List<Reason> ruledOut() {
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("the job ended", "任务已结束"),
                    format("%1$s files stayed open", "仍有 %1$s 个打开的文件", Say.number(handles.min(from, to)))));
            Series samples = window.series(Signal.SAMPLES);
            if (samples.max(from, to) == 0) {
                ruledOut.add(new Reason(
                        new Text("a data set in the page cache", "数据集都在页缓存里"),
                        new Text("the loop took no samples", "训练循环没有取样")));
            }
            return ruledOut;
        }

        private List<Remedy> remedies(Witness witness) {
            Text verify = new Text("calls finish again, and none with an error", "调用恢复完成，且没有错误");
            return List.of(
                    new Remedy(
                            Remedy.Kind.DO,
                            witness.repair,
                            "",
                            new Text("waiting calls go on by themselves within their timeouts", "等待中的调用会在超时内自行继续"),
                            new Text("none for open files", "对已打开的文件没有影响"),
                            verify),
                    new Remedy(
                            Remedy.Kind.DO,
                            new Text("Collect its stacks while it hangs.", "卡死期间收集其堆栈。"),
                            "juicefs debug " + facts.path(),
                            new Text("shows what every thread waits for", "显示各线程在等什么"),
                            new Text(
                                    "the client's watchdog ends it after some minutes: be quick",
                                    "客户端的看门狗数分钟后会结束进程：请尽快"),
                            verify),
                    Remedy.doNot(new Text(
                            "Do not restart training first: it hangs again. Do not kill the mount while it may come back:"
                                    + " unflushed writes of open files are lost.",
                            "不要先重启训练：仍会卡死。仍可能恢复时不要杀掉挂载进程：打开文件未落盘的写入会丢失。")));
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }
    }
}
