package dev.onset.timeline;

import dev.onset.signals.Distribution;
import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A timeline that is fed by hand: one mount, one job, one Redis, in steps of 15 s. */
final class Feed {
    static final long STEP = 15_000;
    static final long FIRST = 119_733_360;
    static final Target MOUNT_TARGET = new Target(SourceKind.JUICEFS, "vision", "gpu-01:9567", null);
    static final Target JOB_TARGET = new Target(SourceKind.ACCELERATOR, "vision", "gpu-01:9400", null);
    static final Target REDIS_TARGET = new Target(SourceKind.REDIS, "vision", "meta-a:6379", null);
    static final Scope MOUNT = Scope.mount("vision", "imagenet", "gpu-01", "/mnt/jfs");
    static final Scope JOB = Scope.job("vision");
    static final Scope REDIS = Scope.redis("vision", "meta-a:6379");

    final Timeline timeline = Timeline.of(new TimeAxis(STEP), 1);
    private final List<Distribution> distributions = new ArrayList<>();

    /** Epoch milliseconds, seconds after a step began. */
    static long at(int step, double seconds) {
        return (FIRST + step) * STEP + Math.round(seconds * 1e3);
    }

    Feed mount(long atMillis, Object... signalsAndValues) {
        return answer(
                MOUNT_TARGET,
                new Identity(MOUNT, "gpu-01", "imagenet", "/mnt/jfs", "1.4.2"),
                atMillis,
                MOUNT,
                "",
                signalsAndValues);
    }

    Feed job(long atMillis, Object... signalsAndValues) {
        return answer(
                JOB_TARGET, new Identity(JOB, "gpu-01", null, null, null), atMillis, JOB, "gpu-01/0", signalsAndValues);
    }

    Feed redis(long atMillis, Moment... moments) {
        timeline.accept(new Scrape.Scraped(
                REDIS_TARGET,
                true,
                atMillis,
                new Identity(REDIS, "meta-a", null, null, null),
                List.of(Sample.of(REDIS, Signal.REDIS_OPS, atMillis / 1e3)),
                List.of(),
                List.of(moments),
                Map.of(),
                List.of()));
        return this;
    }

    Feed missed(Target target, long atMillis, Gap reason) {
        timeline.accept(new Scrape.Missed(target, true, atMillis, reason, Text.same("")));
        return this;
    }

    /** Goes with the next answer of the mount. */
    Feed with(Signal signal, double[] bounds, double... counts) {
        distributions.add(new Distribution(MOUNT, signal, bounds, counts));
        return this;
    }

    Feed close(int step) {
        timeline.close(FIRST + step);
        return this;
    }

    Window window(Scope scope) {
        return timeline.window(scope);
    }

    /** Cells of the mount, oldest first. */
    double[] cells(Signal signal) {
        Series series = timeline.window(MOUNT).series(signal);
        double[] cells = new double[series.size()];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = series.at(i);
        }
        return cells;
    }

    Gap gap(Signal signal, int index) {
        return timeline.window(MOUNT).series(signal).gap(index);
    }

    private Feed answer(
            Target target, Identity identity, long atMillis, Scope scope, String part, Object... signalsAndValues) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < signalsAndValues.length; i += 2) {
            Signal signal = (Signal) signalsAndValues[i];
            samples.add(new Sample(scope, signal, part, ((Number) signalsAndValues[i + 1]).doubleValue()));
        }
        timeline.accept(new Scrape.Scraped(
                target, true, atMillis, identity, samples, List.copyOf(distributions), List.of(), Map.of(), List.of()));
        distributions.clear();
        return this;
    }
}
