package dev.onset.rules;

import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;

/** How a store that is slow or fails reaches the accelerators: reads go there, wait longer, and go on asking. */
final class ReadsWait {
    /** Below this a store cannot hurt: nearly everything is served from a cache. */
    static final double LEAST_MISS_RATIO = 0.05;

    private static final double READ_COST_RISE = 1.5;
    private static final double LEAST_ASKING = 0.1;
    private static final double ASKING_SHARE = 0.3;

    private ReadsWait() {}

    static boolean holds(Window window, Checks checks, Pairing.Pair pair) {
        int from = pair.effect().start();
        int to = pair.effect().end();
        int healthy = Math.min(pair.cause().start(), from);
        double missed = window.series(Signal.MISS_RATIO).max(pair.cause().start(), to);
        boolean reaches = checks.add(
                new Text("part of the reads goes to the store", "部分读取要访问对象存储"),
                Say.percent(missed),
                "≥ " + Say.percent(LEAST_MISS_RATIO),
                // No ratio: next to nothing was read at all, while requests were under way.
                missed >= LEAST_MISS_RATIO || Double.isNaN(missed));
        Series readCost = window.series(Signal.READ_COST);
        double cost = readCost.median(from, to);
        double costBefore = Evidence.before(readCost, healthy);
        boolean dearer = checks.add(
                new Text("waiting per byte read rose", "每字节读取等待上升"),
                Say.number(cost) + " s/GB",
                "≥ " + Say.number(READ_COST_RISE * costBefore) + " s/GB",
                cost >= READ_COST_RISE * costBefore || Double.isNaN(cost));
        Series reading = window.series(Signal.READ_SECONDS);
        double asking = reading.median(from, to);
        double askingBefore = Evidence.before(reading, healthy);
        double bound = Math.max(LEAST_ASKING, Double.isNaN(askingBefore) ? 0 : ASKING_SHARE * askingBefore);
        boolean stillAsking = checks.add(
                new Text("the application still asks for data", "应用仍在请求数据"),
                Say.number(asking),
                "≥ " + Say.number(bound),
                asking >= bound);
        return reaches && dearer && stillAsking;
    }
}
