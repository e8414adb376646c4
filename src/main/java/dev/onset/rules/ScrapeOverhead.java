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

/** A target takes long to answer or answers at great length: watching costs more than it should. */
final class ScrapeOverhead implements Rule {
    private static final String ID = "scrape-overhead";
    private static final Bound STEPS = new Bound(ID, "sustained-steps", 3, Unit.COUNT);
    private static final Bound SLOW = new Bound(ID, "slow-answer", 1, Unit.SECONDS);
    private static final Bound LARGE = new Bound(ID, "large-answer", 5 << 20, Unit.BYTES);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("A target is slow or large to scrape", "目标抓取过慢或过大"),
            ScopeKind.TARGET,
            Severity.S4,
            RuleCard.Family.WATCHING,
            List.of(Signal.SCRAPE_SECONDS, Signal.SCRAPE_BYTES));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(STEPS, SLOW, LARGE);
    }

    @Override
    public Verdict judge(Window window) {
        Lately lately = new Lately(window, STEPS);
        Checks checks = new Checks();
        double seconds = lately.least(Signal.SCRAPE_SECONDS);
        double bytes = lately.least(Signal.SCRAPE_BYTES);
        boolean watched = lately.watched(Signal.SCRAPE_SECONDS);
        boolean slow = checks.add(
                new Text("an answer takes, in each of the last steps", "最近每一步应答耗时"),
                Say.duration(seconds),
                "≥ " + Say.duration(window.bound(SLOW)),
                watched && seconds >= window.bound(SLOW));
        boolean large = checks.add(
                new Text("an answer has, in each of the last steps", "最近每一步应答大小"),
                Say.bytes(bytes),
                "≥ " + Say.bytes(window.bound(LARGE)),
                watched && bytes >= window.bound(LARGE));
        if (!slow && !large) {
            return checks.quiet();
        }
        return new Verdict.Found(Finding.state(
                Severity.S4,
                Doubt.NONE,
                format(
                        "%1$s takes %2$s to answer with %3$s.",
                        "%1$s 应答耗时 %2$s，大小 %3$s。",
                        window.scope().id(),
                        Say.duration(lately.median(Signal.SCRAPE_SECONDS)),
                        Say.bytes(lately.median(Signal.SCRAPE_BYTES))),
                List.of(lately.lane(Signal.SCRAPE_SECONDS), lately.lane(Signal.SCRAPE_BYTES)),
                List.of(),
                List.of(new Reason(
                        new Text("who else scrapes it", "还有谁在抓取"), new Text("the exporter does not tell", "导出器不提供"))),
                remedies(),
                checks));
    }

    private static List<Remedy> remedies() {
        Text verify = new Text("an answer takes less than 0.2 s", "应答低于 0.2 s");
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Look at the host first: one without CPU answers everything late.", "先看主机：CPU 不足时什么都慢。"),
                "uptime; top -b -n 1 | head -15",
                new Text("a mount needs about 2 ms of CPU for an answer", "挂载点应答一次约需 2 ms CPU"),
                new Text("none for the job", "对任务没有影响"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text(
                        "Let one scraper ask every 15 s, and leave out what nobody reads.",
                        "只用一个采集器、每 15 s 一次，去掉无人使用的收集器。"),
                "",
                new Text("the cost falls with the number of questions", "开销随抓取次数下降"),
                new Text("order in time gets coarser with fewer questions", "抓取越少，先后判断越粗"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not switch metrics off: the cost is not what you see here on a healthy host.",
                "不要关闭指标：健康主机上开销并非如此。")));
        return remedies;
    }
}
