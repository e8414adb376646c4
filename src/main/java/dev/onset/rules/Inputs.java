package dev.onset.rules;

import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Says which inputs a rule misses: silence is allowed only where it could have spoken. */
final class Inputs {
    private static final int RECENT_STEPS = 8;

    private Inputs() {}

    /** What is missing, or empty when the rule can judge. */
    static Optional<List<Reason>> missing(Window window, RuleCard card) {
        List<Reason> missing = new ArrayList<>();
        for (Signal signal : card.needs()) {
            Series series = window.series(signal);
            int from = Math.max(0, window.size() - RECENT_STEPS);
            if (Double.isNaN(series.max(from, window.size()))) {
                missing.add(new Reason(
                        Text.format("no %1$s", "缺少 %1$s", signal.id()),
                        series.known()
                                ? Text.format("for %1$d steps: ", "已 %1$d 步：", RECENT_STEPS)
                                        .plus(series.gap(window.now()).text())
                                : source(signal)));
            }
        }
        return missing.isEmpty() ? Optional.empty() : Optional.of(missing);
    }

    private static Text source(Signal signal) {
        return switch (signal.scope()) {
            case MOUNT -> new Text("no JuiceFS mount exports it", "没有 JuiceFS 挂载点导出该指标");
            case HOST -> new Text("no node exporter for this host", "该主机没有 node exporter");
            case JOB -> new Text("no accelerator or training exporter in this group", "该组没有加速器或训练指标");
            case REDIS -> new Text("no Redis probe in this group", "该组没有 Redis 探测");
            case TARGET -> new Text("never scraped", "从未采集");
        };
    }
}
