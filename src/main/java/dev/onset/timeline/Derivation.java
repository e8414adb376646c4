package dev.onset.timeline;

import dev.onset.signals.Gap;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What follows from the columns of one step: quotients, sums over parts, round-trip times, masks. */
final class Derivation {
    private static final double MIB = 1 << 20;
    private static final double MB = 1e6;
    private static final int BASELINE_STEPS = 40;
    /** A remounted client finds its cached blocks at once; half a minute covers the scan and the first opens. */
    private static final double YOUNG_SECONDS = 30;
    /** A rank that was silent for five minutes has left the job: its pod was replaced, or the job runs with fewer. */
    private static final int LEFT_STEPS = 20;

    private final Timeline timeline;
    private final long step;
    private final long latestAnswerMillis;
    private @Nullable String group;
    private @Nullable ScopeColumns job;

    Derivation(Timeline timeline, long step, long latestAnswerMillis) {
        this.timeline = timeline;
        this.step = step;
        this.latestAnswerMillis = latestAnswerMillis;
    }

    void run() {
        each(ScopeKind.JOB, this::job);
        each(ScopeKind.HOST, this::host);
        each(ScopeKind.REDIS, this::redis);
        each(ScopeKind.MOUNT, this::mount);
    }

    private void each(ScopeKind kind, Consumer<ScopeColumns> derive) {
        for (Scope scope : timeline.scopes(kind)) {
            ScopeColumns about = timeline.find(scope);
            if (about != null) {
                derive.accept(about);
            }
        }
    }

    private void mount(ScopeColumns mount) {
        readSecondsBefore12(mount);
        double miss = value(mount, Signal.MISS_BYTES);
        double hit = value(mount, Signal.HIT_BYTES);
        quotient(mount, Signal.MISS_RATIO, miss, miss + hit, MIB, 1);
        double readBytes = value(mount, Signal.FUSE_READ_BYTES);
        quotient(mount, Signal.READ_COST, value(mount, Signal.READ_SECONDS), readBytes, MB, 1e9);
        quotient(mount, Signal.READ_AMPLIFICATION, value(mount, Signal.GET_BYTES), readBytes, MIB, 1);
        latency(mount, Signal.READ_LATENCY, Signal.READ_SECONDS, Signal.READS);
        latency(mount, Signal.GET_LATENCY, Signal.GET_SECONDS, Signal.GETS);
        latency(mount, Signal.PUT_LATENCY, Signal.PUT_SECONDS, Signal.PUTS);
        latency(mount, Signal.META_LATENCY, Signal.META_SECONDS, Signal.META_OPS);
        latency(mount, Signal.TXN_LATENCY, Signal.TXN_SECONDS, Signal.TXNS);
        latency(mount, Signal.CACHE_READ_LATENCY, Signal.CACHE_READ_SECONDS, Signal.CACHE_READS);
        latency(mount, Signal.CACHE_WRITE_LATENCY, Signal.CACHE_WRITE_SECONDS, Signal.CACHE_WRITES);
        // The write counters of the cache also count staging.
        double staged = value(mount, Signal.STAGED_BYTES);
        double fill = value(mount, Signal.CACHE_WRITE_BYTES) - (Double.isNaN(staged) ? 0 : staged);
        put(mount, Signal.CACHE_FILL, "", Double.isNaN(fill) ? fill : Math.max(0, fill), Gap.NOT_EXPORTED);
        masks(mount);
    }

    /** Clients before 1.2 count no time per method: all FUSE operations together stand in for reads. */
    private void readSecondsBefore12(ScopeColumns mount) {
        Column reads = mount.column(Signal.READ_SECONDS, "");
        double all = value(mount, Signal.FUSE_SECONDS);
        if (!Double.isNaN(all) && (reads == null || reads.owner == null)) {
            put(mount, Signal.READ_SECONDS, "", all, Gap.NOT_EXPORTED);
        }
    }

    private void host(ScopeColumns host) {
        double total = value(host, Signal.CPU_SECONDS);
        double idle = value(host, Signal.CPU_IDLE_SECONDS);
        put(host, Signal.CPU_BUSY, "", total > 0 ? clamp(1 - idle / total) : Double.NaN, Gap.NOT_EXPORTED);
        for (String device : parts(host, Signal.DISK_READS)) {
            quotient(host, Signal.DISK_READ_LATENCY, Signal.DISK_READ_SECONDS, Signal.DISK_READS, device);
            quotient(host, Signal.DISK_WRITE_LATENCY, Signal.DISK_WRITE_SECONDS, Signal.DISK_WRITES, device);
        }
    }

    private void job(ScopeColumns job) {
        List<Double> uses = new ArrayList<>();
        for (String part : parts(job, Signal.ACCELERATOR_USE, Signal.ACCELERATOR_ENGINE)) {
            // Profiling counters see what busy time cannot (partitioned devices); per device one kind, never both.
            Column engine = job.column(Signal.ACCELERATOR_ENGINE, part);
            Column use = job.column(Signal.ACCELERATOR_USE, part);
            double value = engine != null ? engine.value(step) : use == null ? Double.NaN : use.value(step);
            if (!Double.isNaN(value)) {
                uses.add(value);
            }
        }
        double[] values = uses.stream().mapToDouble(Double::doubleValue).toArray();
        double mean = Arrays.stream(values).average().orElse(Double.NaN);
        put(job, Signal.UTILISATION, "", mean, Gap.NOT_SCRAPED_YET);
        put(job, Signal.UTILISATION_MIN, "", Arrays.stream(values).min().orElse(Double.NaN), Gap.NOT_SCRAPED_YET);
        total(job, Signal.SAMPLES, true);
        total(job, Signal.DATA_WAIT, false);
        extreme(job, Signal.EPOCH, false);
        extreme(job, Signal.PHASE_EVAL, true);
        extreme(job, Signal.PHASE_CHECKPOINT, true);
    }

    /** Over all ranks that have not left: a missing rank makes the sum a gap, because missing is not zero. */
    private void total(ScopeColumns job, Signal signal, boolean sum) {
        double total = 0;
        int ranks = 0;
        for (String rank : parts(job, signal)) {
            Column column = job.columnFor(signal, rank);
            boolean left = timeline.axis().startMillis(step) - column.rawAt()
                    > timeline.axis().millis(LEFT_STEPS);
            if (!rank.isEmpty() && !left) {
                total += column.value(step);
                ranks++;
            }
        }
        if (ranks > 0) {
            put(job, signal, "", sum ? total : total / ranks, Gap.NOT_SCRAPED_YET);
        }
    }

    private void extreme(ScopeColumns job, Signal signal, boolean largest) {
        double extreme = Double.NaN;
        for (String rank : parts(job, signal)) {
            double value =
                    rank.isEmpty() ? Double.NaN : job.columnFor(signal, rank).value(step);
            if (Double.isNaN(extreme) || (largest ? value > extreme : value < extreme)) {
                extreme = Double.isNaN(value) ? extreme : value;
            }
        }
        if (!Double.isNaN(extreme)) {
            put(job, signal, "", extreme, Gap.NOT_SCRAPED_YET);
        }
    }

    private void redis(ScopeColumns redis) {
        long from = redis.pingsUntilMillis == Long.MIN_VALUE
                ? latestAnswerMillis - timeline.axis().stepMillis()
                : redis.pingsUntilMillis;
        redis.pingsUntilMillis = latestAnswerMillis;
        double[] trips = redis.moments.roundTrips(from, latestAnswerMillis);
        double[] values =
                Arrays.stream(trips).filter(trip -> !Double.isNaN(trip)).toArray();
        int lost = trips.length - values.length;
        boolean any = values.length > 0 || lost > 0;
        put(redis, Signal.RTT_MEDIAN, "", Statistics.median(values), Gap.TIMED_OUT);
        // A ping that got no answer in five seconds took at least that long.
        double max = lost > 0 ? 5 : Arrays.stream(values).max().orElse(Double.NaN);
        put(redis, Signal.RTT_MAX, "", max, Gap.NOT_SCRAPED_YET);
        put(redis, Signal.RTT_LOST, "", any ? lost : Double.NaN, Gap.NOT_SCRAPED_YET);
    }

    private void masks(ScopeColumns mount) {
        mount.unmask(step);
        double uptime = value(mount, Signal.UPTIME);
        if (mount.restartedStep == step || uptime < YOUNG_SECONDS) {
            mount.mask(step, Mask.RESTART);
            mount.restartMaskedStep = step;
        }
        if (mount.answeredStep != step) {
            mount.mask(step, Mask.GAP);
        }
        ScopeColumns job = jobOf(mount);
        if (cold(mount, job)) {
            mount.mask(step, Mask.COLD);
        }
        if (writing(mount, job)) {
            mount.mask(step, Mask.CKPT);
        }
        if (importing(mount)) {
            mount.mask(step, Mask.IMPORT);
        }
        if (job != null && setup(job)) {
            mount.mask(step, Mask.SETUP);
        }
        if (job != null && evaluating(mount, job)) {
            mount.mask(step, Mask.EVAL);
        }
    }

    /** Mounts of a group follow each other. */
    private @Nullable ScopeColumns jobOf(ScopeColumns mount) {
        String name = mount.scope.group();
        if (!name.equals(group)) {
            group = name;
            job = timeline.find(Scope.job(name));
        }
        return job;
    }

    private boolean cold(ScopeColumns mount, @Nullable ScopeColumns job) {
        if (job != null && value(job, Signal.EPOCH) <= 1) {
            return true;
        }
        Column bytes = mount.column(Signal.CACHED_BYTES, "");
        double miss = value(mount, Signal.MISS_BYTES);
        return bytes != null
                && miss > MIB
                && value(mount, Signal.CACHE_FILL) / miss > 0.8
                && value(mount, Signal.CACHE_EVICTS) == 0
                && bytes.value(step) > bytes.value(step - 1);
    }

    /** Two steps in which the loop takes no samples, asks for nothing and computes nothing; or it says so itself. */
    private boolean evaluating(ScopeColumns mount, ScopeColumns job) {
        if (value(job, Signal.PHASE_EVAL) > 0) {
            return true;
        }
        boolean idle = idle(mount, job, step) && idle(mount, job, step - 1);
        if (idle) {
            mount.mask(step - 1, Mask.EVAL);
        }
        return idle;
    }

    private static boolean idle(ScopeColumns mount, ScopeColumns job, long at) {
        double reading = valueAt(mount, Signal.READ_SECONDS, at);
        double samples = valueAt(job, Signal.SAMPLES, at);
        boolean still = Double.isNaN(samples) || samples == 0;
        return valueAt(job, Signal.UTILISATION, at) < 0.05 && still && reading < 0.02;
    }

    private boolean setup(ScopeColumns job) {
        int steps = timeline.axis().steps(BASELINE_STEPS);
        for (long at = step; at > step - steps; at--) {
            if (!(valueAt(job, Signal.UTILISATION, at) < 0.05)) {
                return false;
            }
        }
        return true;
    }

    private boolean writing(ScopeColumns mount, @Nullable ScopeColumns job) {
        if (job == null || value(mount, Signal.FUSE_WRITE_BYTES) < 20 * MIB * timeline.floorScale()) {
            return false;
        }
        double use = usual(job, Signal.UTILISATION);
        double reading = usual(mount, Signal.READ_SECONDS);
        return value(job, Signal.UTILISATION) < 0.8 * use && value(mount, Signal.READ_SECONDS) < 0.7 * reading;
    }

    private boolean importing(ScopeColumns mount) {
        int steps = timeline.axis().steps(8);
        for (long at = step; at > step - steps; at--) {
            double written = valueAt(mount, Signal.FUSE_WRITE_BYTES, at);
            double read = valueAt(mount, Signal.FUSE_READ_BYTES, at);
            if (!(written > 50 * MIB * timeline.floorScale() && read < 0.1 * written)) {
                return false;
            }
        }
        return true;
    }

    private double usual(ScopeColumns about, Signal signal) {
        int steps = timeline.axis().steps(BASELINE_STEPS);
        double[] values = new double[steps];
        int n = 0;
        for (long at = step - steps; at < step; at++) {
            double value = valueAt(about, signal, at);
            if (!Double.isNaN(value)) {
                values[n++] = value;
            }
        }
        return Statistics.median(Arrays.copyOf(values, n));
    }

    private void latency(ScopeColumns about, Signal latency, Signal seconds, Signal count) {
        quotient(about, latency, seconds, count, "");
    }

    private void quotient(ScopeColumns about, Signal result, Signal top, Signal bottom, String part) {
        Column above = about.column(top, part);
        Column below = about.column(bottom, part);
        double seconds = above == null ? Double.NaN : above.value(step);
        double count = below == null ? Double.NaN : below.value(step);
        if (Double.isNaN(seconds) || Double.isNaN(count)) {
            put(about, result, part, Double.NaN, below == null ? Gap.NOT_EXPORTED : below.gap(step));
        } else {
            put(about, result, part, count > 0 ? seconds / count : Double.NaN, Gap.NO_ACTIVITY);
        }
    }

    private void quotient(ScopeColumns about, Signal result, double top, double bottom, double least, double scale) {
        boolean enough = bottom >= least;
        Gap why = Double.isNaN(bottom) ? Gap.NOT_SCRAPED_YET : Gap.NO_ACTIVITY;
        put(about, result, "", enough ? top / bottom * scale : Double.NaN, why);
    }

    private void put(ScopeColumns about, Signal signal, String part, double value, Gap otherwise) {
        Column column = about.columnFor(signal, part);
        if (Double.isNaN(value)) {
            column.gap(step, otherwise);
        } else {
            column.put(step, value);
        }
    }

    private double value(ScopeColumns about, Signal signal) {
        return valueAt(about, signal, step);
    }

    private static double valueAt(ScopeColumns about, Signal signal, long at) {
        Column column = about.column(signal, "");
        return column == null ? Double.NaN : column.value(at);
    }

    private static Set<String> parts(ScopeColumns about, Signal... signals) {
        Set<String> parts = new TreeSet<>();
        for (Signal signal : signals) {
            if (about.column(signal, "") != null) {
                parts.add("");
            }
            about.parts(signal).forEach(column -> parts.add(column.part));
        }
        return parts;
    }

    private static double clamp(double share) {
        return Math.max(0, Math.min(1, share));
    }
}
