package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Change;
import dev.onset.timeline.Window;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Sentences that several rules say in the same words. */
final class Sentences {
    private Sentences() {}

    static Text repetition(Repetition repetition, Order order) {
        Text times = format(
                "%1$d of %2$d falls followed it; %3$d of %4$d rises were followed by a fall.",
                "%2$d 次下降中 %1$d 次在其后；%4$d 次上升中 %3$d 次引发下降。",
                repetition.followed(),
                repetition.effects(),
                repetition.followed(),
                repetition.causes());
        Text lead = order == Order.BEFORE
                ? format("Lead: %1$s.", "提前 %1$s。", Say.duration(repetition.medianLeadSeconds()))
                : new Text("Both moved in the same step; their order is not visible.", "二者在同一步内变化，先后不可见。");
        return times.plus(lead);
    }

    static Text whyNotSurer(Window window, Pairing pairing, Confidence confidence) {
        if (confidence == Confidence.CONFIRMED) {
            return Text.same("");
        }
        Repetition repetition = pairing.repetition();
        if (repetition.equalPeriods()) {
            return new Text(
                    "Both repeat with the same period, so all repetitions count as one coincidence.",
                    "二者周期相同，所有重复只算一次巧合。");
        }
        if (repetition.followed() < 3) {
            return format(
                    "Seen %1$d of the 3 times that rule out chance.", "目前出现 %1$d 次，排除偶然需要 3 次。", repetition.followed());
        }
        if (repetition.together() * 2 > repetition.followed()) {
            return format(
                    "Most pairs fall into one %1$s step, so the order is not visible.",
                    "多数成对变化落在同一个 %1$s 步内，先后不可见。", Say.duration(window.axis().stepMillis() / 1e3));
        }
        return new Text(
                "The baseline before it is shorter than three minutes, or chance is not excluded.",
                "此前基线不足三分钟，或尚不能排除偶然。");
    }

    static List<Onset> inTimeOrder(Change... changes) {
        return Arrays.stream(changes)
                .map(Pairing::onset)
                .sorted(Comparator.comparingLong(Onset::toMillis).thenComparingLong(Onset::fromMillis))
                .toList();
    }

    static List<Loss> losses(Window window, Pairing pairing) {
        return pairing.pairs().stream().map(pair -> loss(window, pair.effect())).toList();
    }

    static Loss loss(Window window, Change drop) {
        return new Loss(
                window.startMillis(drop.start()),
                window.startMillis(drop.end() - 1) + window.axis().stepMillis(),
                drop.base(),
                drop.deviation());
    }

    static Reason configUnknown() {
        return new Reason(
                new Text("options of this mount", "该挂载点的参数"),
                new Text(
                        "its .config file is not readable from here: run this service on the host, or state the options",
                        "此处读不到其 .config：请在该主机上运行本服务，或在配置中写明参数"));
    }

    static Reason latencyMonitorOff() {
        return new Reason(
                new Text("what Redis itself recorded in the seconds of slow answers", "慢应答同秒 Redis 自身的记录"),
                new Text(
                        "its latency monitor is off: CONFIG SET latency-monitor-threshold 5",
                        "其延迟监控未开启：CONFIG SET latency-monitor-threshold 5"));
    }

    static Reason cacheFolderUnknown() {
        return new Reason(
                new Text("the file system of the cache folder", "缓存目录所在文件系统"),
                new Text("no file system of this host holds the folder that the mount names", "该主机没有文件系统包含挂载点所写的目录"));
    }

    static Optional<Reason> nodeUnknown(Window window) {
        boolean known = window.first(ScopeKind.HOST) != null
                && window.series(Signal.CPU_SECONDS).known();
        return known
                ? Optional.empty()
                : Optional.of(new Reason(
                        new Text("load of the host's disks and CPUs", "主机磁盘与 CPU 负载"),
                        new Text("no node exporter for this host", "该主机没有 node exporter")));
    }

    static Reason samplesUnknown() {
        return new Reason(
                new Text("whether the training loop took fewer samples", "训练循环取样是否减少"),
                new Text("it exports no training_samples_total", "它没有导出 training_samples_total"));
    }
}
