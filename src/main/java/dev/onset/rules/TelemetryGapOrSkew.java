package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Timeline.TargetStatus;
import dev.onset.timeline.Window;
import java.util.List;

/** A target stopped answering, or its clock is off: claims about order stand on these. */
final class TelemetryGapOrSkew implements Rule {
    private static final int GAP_STEPS = 3;
    private static final double SKEW_SECONDS = 2;

    private static final RuleCard CARD = new RuleCard(
            "telemetry-gap-or-skew",
            new Text("A target is missing, or its clock is off", "目标缺失或时钟偏移"),
            ScopeKind.TARGET,
            Severity.S3,
            RuleCard.Family.WATCHING,
            List.of(Signal.ANSWERED));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        TargetStatus target = window.target();
        if (target == null) {
            return new Verdict.Unsure(List.of());
        }
        Checks checks = new Checks();
        int missed = target.missedInRow();
        boolean gap = checks.add(
                new Text("steps without an answer", "无应答的步数"),
                missed + "",
                "≥ " + window.axis().steps(GAP_STEPS),
                missed >= window.axis().steps(GAP_STEPS));
        double skew = skew(window, target);
        boolean off = checks.add(
                new Text("difference of its clock to ours", "与本机时钟之差"),
                Say.duration(skew),
                "≥ " + Say.duration(SKEW_SECONDS),
                Math.abs(skew) >= SKEW_SECONDS);
        if (gap) {
            return new Verdict.Found(gapFinding(window, target, checks));
        }
        return off ? new Verdict.Found(skewFinding(target, skew, checks)) : checks.quiet();
    }

    /** Node exporters and Redis state their time; the age of the sample is known. NaN where there is no clock. */
    private static double skew(Window window, TargetStatus target) {
        Scope scope = target.scope();
        if (scope == null) {
            return Double.NaN;
        }
        if (target.target().kind() == SourceKind.REDIS) {
            return window.series(scope, Signal.REDIS_CLOCK, "").latest();
        }
        Series time = window.series(scope, Signal.HOST_TIME, "");
        return time.at(window.now()) - time.toMillis(window.now()) / 1e3;
    }

    private static Finding gapFinding(Window window, TargetStatus target, Checks checks) {
        int missed = target.missedInRow();
        int start = Math.max(0, window.size() - missed);
        Gap reason = target.missed() == null ? Gap.TIMED_OUT : target.missed().reason();
        Text detail = target.missed() == null ? Text.same("") : target.missed().detail();
        long from = start > 0 ? window.startMillis(start - 1) : window.startMillis(start);
        return new Finding(
                Severity.S3,
                Confidence.CONFIRMED,
                Text.same(""),
                format(
                                "%1$s gives no answer for %2$s: ",
                                "%1$s 已 %2$s 无应答：",
                                window.scope().id(),
                                Say.duration(missed * window.axis().stepMillis() / 1e3))
                        .plus(reason.text())
                        .plus(Text.same("(" + detail.en() + ")")),
                new Text("Rules that need it cannot judge until it is back.", "恢复前，依赖它的规则无法判断。"),
                List.of(new Onset(
                        window.scope(),
                        Signal.ANSWERED,
                        "",
                        Math.min(from, window.startMillis(start)),
                        window.startMillis(start))),
                null,
                List.of(Evidence.fall(window.series(Signal.ANSWERED), start, window.size())),
                List.of(),
                List.of(),
                List.of(),
                List.of(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Look whether it answers from this host.", "在本机确认它是否应答。"),
                        target.target().kind() == SourceKind.REDIS
                                ? "redis-cli -h "
                                        + MountFacts.quoted(target.target().addressHost()) + " PING"
                                : "curl -sS -m 10 -o /dev/null -w '%{http_code} %{time_total}\\n' "
                                        + MountFacts.quoted(
                                                "http://" + target.target().address() + "/metrics"),
                        new Text("tells a dead exporter from a closed port", "区分进程已死与端口不通"),
                        new Text("none", "无"),
                        new Text("an answer in each of four steps", "连续四步有应答"))),
                List.of(),
                checks.all());
    }

    private static Finding skewFinding(TargetStatus target, double skew, Checks checks) {
        return new Finding(
                Severity.S3,
                Confidence.CONFIRMED,
                Text.same(""),
                format(
                        skew > 0
                                ? "The clock of %1$s is %2$s ahead of ours."
                                : "The clock of %1$s is %2$s behind ours.",
                        skew > 0 ? "%1$s 的时钟比本机快 %2$s。" : "%1$s 的时钟比本机慢 %2$s。",
                        target.target().address(),
                        Say.duration(Math.abs(skew))),
                target.target().kind() == SourceKind.REDIS
                        ? new Text("Its own time stamps are corrected by that much.", "其自带时间已按此校正。")
                        : new Text(
                                "Its samples are placed by the time they were asked for, so no order depends on it; its logs"
                                        + " will not line up with others.",
                                "其样本按采集时刻放置，先后判断不受影响；但其日志与其他主机对不上。"),
                List.of(),
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Let the host keep time.", "让该主机校时。"),
                        "chronyc tracking",
                        new Text("the difference falls under 0.5 s", "差值降到 0.5 s 以下"),
                        new Text("a large step may confuse running jobs", "大幅跳变可能影响运行中的作业"),
                        new Text("under 0.5 s for an hour", "一小时内低于 0.5 s"))),
                List.of(),
                checks.all());
    }
}
