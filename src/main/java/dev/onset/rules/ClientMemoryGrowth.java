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

/** The client's memory grows quarter after quarter without its buffers: in the end the kernel kills a trainer for it. */
final class ClientMemoryGrowth implements Rule {
    private static final String ID = "client-memory-growth";
    private static final Bound STEPS = new Bound(ID, "steps", 360, Unit.COUNT);
    private static final Bound SHARE = new Bound(ID, "grown-share", 0.50, Unit.RATIO);
    private static final Bound BYTES = new Bound(ID, "grown-bytes", 1 << 30, Unit.BYTES);
    private static final Bound LEFT = new Bound(ID, "host-memory-left", 0.10, Unit.RATIO);
    private static final int QUARTERS = 4;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("The client's memory grows", "客户端内存持续增长"),
            ScopeKind.MOUNT,
            Severity.S2,
            RuleCard.Family.SAFETY,
            List.of(Signal.CLIENT_MEMORY));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, SHARE, BYTES, LEFT);
    }

    @Override
    public Verdict judge(Window window) {
        Checks checks = new Checks();
        int quarter = window.steps(STEPS) / QUARTERS;
        double[] grown = quarters(window, Signal.CLIENT_MEMORY, quarter);
        double[] buffered = quarters(window, Signal.BUFFER_BYTES, quarter);
        double first = grown[0] - orZero(buffered[0]);
        double last = grown[QUARTERS - 1] - orZero(buffered[QUARTERS - 1]);
        boolean steady = true;
        for (int q = 1; q < QUARTERS; q++) {
            steady &= grown[q] - orZero(buffered[q]) > grown[q - 1] - orZero(buffered[q - 1]);
        }
        boolean watched = checks.add(
                new Text("watched for long enough", "观察时间足够"),
                window.size() + "",
                "≥ " + window.steps(STEPS),
                window.size() >= window.steps(STEPS) && !Double.isNaN(first));
        boolean rises = checks.add(
                new Text("higher in each quarter of that time, without its buffers", "扣除缓冲后每个时段都更高"),
                Say.bytes(first) + " → " + Say.bytes(last),
                "<",
                steady);
        boolean much =
                checks.atLeast(new Text("grown by", "增长比例"), last / first - 1, window.bound(SHARE), Say::percent);
        boolean large =
                checks.atLeast(new Text("grown by, in bytes", "增长字节"), last - first, window.bound(BYTES), Say::bytes);
        if (!(watched && rises && much && large)) {
            return checks.quiet();
        }
        double left = window.series(Signal.MEMORY_AVAILABLE).latest()
                / window.series(Signal.MEMORY_TOTAL).latest();
        return new Verdict.Found(Finding.state(
                left < window.bound(LEFT) ? Severity.S1 : Severity.S2,
                Doubt.NONE,
                format(
                        "The client's memory without its buffers went from %1$s to %2$s in %3$s, and never back.",
                        "扣除缓冲后，客户端内存 %3$s内从 %1$s 增至 %2$s，未曾回落。",
                        Say.bytes(first),
                        Say.bytes(last),
                        Say.duration(window.steps(STEPS) * window.axis().stepMillis() / 1e3)),
                List.of(
                        Evidence.rise(window.series(Signal.CLIENT_MEMORY), quarter, window.size()),
                        Evidence.rise(window.series(Signal.BUFFER_BYTES), quarter, window.size()),
                        Evidence.rise(window.series(Signal.OPEN_HANDLES), quarter, window.size())),
                List.of(new Reason(
                        new Text("buffers that fill and empty", "缓冲区的起伏"),
                        format(
                                "they hold %1$s, %2$s before",
                                "缓冲 %1$s，之前 %2$s", Say.bytes(buffered[QUARTERS - 1]), Say.bytes(buffered[0])))),
                List.of(handles(window, quarter)),
                remedies(new MountFacts(window)),
                checks));
    }

    private static double[] quarters(Window window, Signal signal, int quarter) {
        Series series = window.series(signal);
        double[] medians = new double[QUARTERS];
        for (int q = 0; q < QUARTERS; q++) {
            int from = window.size() - (QUARTERS - q) * quarter;
            medians[q] = from < 0 ? Double.NaN : series.median(from, from + quarter);
        }
        return medians;
    }

    private static Reason handles(Window window, int quarter) {
        double[] open = quarters(window, Signal.OPEN_HANDLES, quarter);
        return new Reason(
                new Text("what takes it", "被什么占用"),
                format(
                        "open files went from %1$s to %2$s; juicefs debug tells the rest",
                        "打开文件数从 %1$s 到 %2$s；其余见 juicefs debug", Say.number(open[0]), Say.number(open[QUARTERS - 1])));
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private static List<Remedy> remedies(MountFacts facts) {
        Text verify = new Text("the memory stays level for two hours", "内存两小时内持平");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Take its profile before anything else: a restart destroys the evidence.", "先取剖析数据：重启会毁掉证据。"),
                "juicefs debug " + facts.path(),
                new Text("tells whether files, requests or the heap grow", "可分辨增长的是文件、请求还是堆"),
                new Text("a few per cent of CPU for half a minute", "半分钟内占几个百分点 CPU"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Mount again at the next pause of the job.", "在任务下一次停顿时重新挂载。"),
                facts.remount(""),
                new Text("the memory begins low again; the cause stays", "内存从低位重新开始；原因仍在"),
                new Text("open files are cut off; what is not flushed is lost", "打开的文件会中断；未刷盘的数据丢失"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not limit its memory below twice --buffer-size and 1 GiB: the kernel then kills it.",
                "不要把内存上限设到 --buffer-size 两倍加 1 GiB 以下：内核会杀掉它。")));
        return remedies;
    }
}
