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
import java.util.Set;

/** Busy cores run well below what they could, under a governor that saves power between bursts. */
final class CpuFrequencyScaling implements Rule {
    private static final String ID = "cpu-frequency-scaling";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 8, Unit.COUNT);
    private static final Bound SHARE = new Bound(ID, "share-of-the-largest-frequency", 0.80, Unit.RATIO);
    private static final Bound BUSY = new Bound(ID, "cpu-busy", 0.50, Unit.RATIO);
    private static final Set<String> SAVING = Set.of("ondemand", "powersave", "conservative");

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Busy cores run below their frequency", "CPU 降频"),
            ScopeKind.HOST,
            Severity.S3,
            RuleCard.Family.WATCHING,
            List.of(Signal.CPU_HERTZ, Signal.CPU_MOST_HERTZ, Signal.CPU_BUSY));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, SHARE, BUSY);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        String governor = window.parts(Signal.CPU_GOVERNOR).stream()
                .filter(name -> window.series(Signal.CPU_GOVERNOR, name).latest() > 0)
                .findFirst()
                .orElse("–");
        double share = lately.most(Signal.CPU_HERTZ)
                / window.series(Signal.CPU_MOST_HERTZ).latest();
        boolean saves = checks.add(
                new Text("governor", "调频策略"),
                governor,
                String.join(", ", SAVING.stream().sorted().toList()),
                SAVING.contains(governor));
        boolean busy = checks.atLeast(
                new Text("CPUs busy in each of the last steps", "最近每一步 CPU 忙碌"),
                lately.least(Signal.CPU_BUSY),
                window.bound(BUSY),
                Say::percent);
        boolean low = checks.add(
                new Text("share of their largest frequency, at most", "相对最高频率（至多）"),
                Say.percent(share),
                "< " + Say.percent(window.bound(SHARE)),
                lately.watched(Signal.CPU_HERTZ) && share < window.bound(SHARE));
        if (!(saves && busy && low)) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S3,
                Doubt.likely(new Text("Heat or a power cap lowers the frequency as well.", "过热或功率上限也会降频。")),
                format(
                        "The cores run at %1$s of their largest frequency under \"%2$s\" although they are %3$s busy.",
                        "“%2$s” 策略下各核仅为最高频率的 %1$s，尽管已 %3$s 忙碌。",
                        Say.percent(share),
                        governor,
                        Say.percent(lately.median(Signal.CPU_BUSY))),
                List.of(lately.lowLane(Signal.CPU_HERTZ), lately.lane(Signal.CPU_BUSY)),
                List.of(),
                List.of(new Reason(
                        new Text("heat and power caps", "过热与功率上限"),
                        new Text("node_cpu_core_throttles_total would tell", "可看 node_cpu_core_throttles_total"))),
                remedies(share),
                checks));
    }

    private static List<Remedy> remedies(double share) {
        Text verify = new Text("the frequency is above 95 % while busy", "忙碌时频率高于 95 %");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Try the governor for performance on one host, and compare it with another.",
                        "先在一台主机试用性能策略，并与另一台对比。"),
                "cpupower frequency-set -g performance",
                format("frequency %1$s → near 100 %%", "频率 %1$s → 接近 100 %%", Say.percent(share)),
                new Text("more power and heat", "功耗与发热增加"),
                verify));
        remedies.add(Remedy.doNot(
                new Text("Do not force it everywhere without a gain that was measured.", "未测出收益前不要全量强制。")));
        return remedies;
    }
}
