package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Timeline.TargetStatus;
import dev.onset.timeline.Window;
import java.util.List;

/** An exporter's answer got slow or large: the process that writes it spends its time on being watched. */
final class ScrapeOverhead implements Rule {
    private static final String ID = "scrape-overhead";
    private static final Bound SUSTAINED = new Bound(ID, "sustained-steps", 3, Unit.COUNT);
    private static final Bound SLOW = new Bound(ID, "slow", 1, Unit.SECONDS);
    private static final Bound LARGE = new Bound(ID, "large", 5 << 20, Unit.BYTES);

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("An exporter's answer is slow or large", "采集应答过慢或过大"),
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
        return List.of(SUSTAINED, SLOW, LARGE);
    }

    @Override
    public Verdict judge(Window window) {
        Checks checks = new Checks();
        TargetStatus target = window.target();
        if (target != null
                && !checks.add(
                        new Text("an exporter that answers in text", "以文本应答的导出器"),
                        target.target().kind().toString(),
                        "≠ " + SourceKind.REDIS,
                        target.target().kind() != SourceKind.REDIS)) {
            return checks.quiet();
        }
        int from = window.size() - window.steps(SUSTAINED);
        Series seconds = window.series(Signal.SCRAPE_SECONDS);
        Series bytes = window.series(Signal.SCRAPE_BYTES);
        boolean slow = checks.add(
                new Text("the fastest answer of three steps", "三步内最快的应答"),
                Say.duration(seconds.throughout(from, window.size())),
                "≥ " + Say.duration(window.bound(SLOW)),
                seconds.throughout(from, window.size()) >= window.bound(SLOW));
        boolean large = checks.add(
                new Text("the smallest answer of three steps", "三步内最小的应答"),
                Say.bytes(bytes.throughout(from, window.size())),
                "≥ " + Say.bytes(window.bound(LARGE)),
                bytes.throughout(from, window.size()) >= window.bound(LARGE));
        return slow || large ? new Verdict.Found(finding(window, from, seconds, bytes, large, checks)) : checks.quiet();
    }

    private static Finding finding(
            Window window, int from, Series seconds, Series bytes, boolean large, Checks checks) {
        return new Finding(
                Severity.S4,
                Confidence.CONFIRMED,
                Text.same(""),
                format(
                        "Each answer of this exporter takes %1$s and has %2$s; it is asked each %3$s, and perhaps by others too.",
                        "该导出器每次应答耗时 %1$s、大小 %2$s；每 %3$s 被采集一次，也许还有其他采集者。",
                        Say.duration(seconds.mean(from, window.size())),
                        Say.bytes(bytes.mean(from, window.size())),
                        Say.duration(window.axis().stepMillis() / 1e3)),
                Text.same(""),
                List.of(),
                null,
                List.of(Evidence.rise(seconds, from, window.size()), Evidence.rise(bytes, from, window.size())),
                List.of(),
                List.of(
                        new Reason(
                                new Text("how many others ask", "还有多少采集者"),
                                new Text("an exporter does not tell", "导出器不说明")),
                        new Reason(
                                new Text("whether its host merely lacks CPU", "是否只是主机缺 CPU"),
                                new Text("compare with the host's CPU at that time", "请对照当时的主机 CPU"))),
                List.of(),
                remedies(large),
                List.of(),
                checks.all());
    }

    private static List<Remedy> remedies(boolean large) {
        Text verify = new Text("an answer takes less than 0.2 s", "应答少于 0.2 秒");
        return List.of(
                new Remedy(
                        Remedy.Kind.DO,
                        new Text("Let one scraper ask each 15 s, and others read from it.", "只留一个每 15 秒的采集者，其余从它读取。"),
                        "",
                        new Text(
                                "with n scrapers, about 1/n of the time spent on answers remains, if they ask equally often",
                                "若 n 个采集者频率相同，应答耗时约降为 1/n"),
                        new Text("fewer samples: the order of events gets coarser", "样本变少：事件先后更粗略"),
                        verify),
                large
                        ? Remedy.doNot(new Text(
                                "Do not expect relabelling to help the exporter: what the scraper drops was written and sent.",
                                "不要指望重标签减轻导出器负担：被丢弃的内容已生成并发送。"))
                        : Remedy.doNot(new Text(
                                "Do not switch metrics off: what goes wrong next would not be seen.",
                                "不要关闭指标：之后的问题将无从看见。")));
    }
}
