package dev.onset.timeline;

import dev.onset.signals.Distribution;
import dev.onset.signals.Identity;
import dev.onset.signals.Moment;
import dev.onset.signals.Sample;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Answers of many mounts that read for training, in groups of a hundred with a job and a Redis each: most counters of
 * reading move, those of writing and errors stand still. One group in fifty loses its cache for a while each half hour.
 */
public final class Fleet {
    public static final int GROUP = 100;
    private static final long STEP = 15_000;
    private static final long FIRST = 119_733_360;
    private static final int DEVICES = 8;
    private static final Identity[] NONE = {};

    private static final List<Signal> SAMPLED = Arrays.stream(Signal.values())
            .filter(signal -> signal.scope() == ScopeKind.MOUNT)
            .filter(signal -> signal.kind() == Signal.Kind.COUNTER || signal.kind() == Signal.Kind.GAUGE)
            .toList();
    private static final double[] BOUNDS = new double[31];

    static {
        for (int i = 0; i < 30; i++) {
            BOUNDS[i] = 1e-5 * Math.pow(1.8, i);
        }
        BOUNDS[30] = Double.POSITIVE_INFINITY;
    }

    private final SplittableRandom random = new SplittableRandom(7);
    private final Target[] targets;
    private final Identity[] identities;
    private final Scope[] targetScopes;
    private final double[][] raw;
    private final double[][][] buckets;
    private final int groups;
    private final double[] pings = new double[60];

    public Fleet(int mounts) {
        groups = (mounts + GROUP - 1) / GROUP;
        targets = new Target[mounts];
        identities = Arrays.copyOf(NONE, mounts);
        targetScopes = new Scope[mounts];
        raw = new double[mounts][SAMPLED.size()];
        buckets = new double[mounts][4][BOUNDS.length];
        for (int i = 0; i < mounts; i++) {
            String group = "job-" + i / GROUP;
            String host = "node-" + i;
            targets[i] = new Target(SourceKind.JUICEFS, group, host + ":9567", null);
            targetScopes[i] = Scope.target(targets[i]);
            identities[i] = new Identity(
                    Scope.mount(group, "volume-" + i / GROUP, host, "/mnt/jfs"),
                    host,
                    "volume-" + i / GROUP,
                    "/mnt/jfs",
                    "1.4.2+2026-08-01.abcdef");
        }
    }

    /** Every answer of a step. */
    public List<Scrape> step(int step) {
        List<Scrape> scrapes = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            boolean hurt = group % 50 == 7 && step % 120 >= 110;
            scrapes.add(job(group, step, hurt));
            scrapes.add(redis(group, step));
        }
        for (int i = 0; i < targets.length; i++) {
            scrapes.add(mount(i, step, (i / GROUP) % 50 == 7 && step % 120 >= 110));
        }
        return scrapes;
    }

    public static long number(int step) {
        return FIRST + step;
    }

    private static long at(int step, int jitter) {
        return (FIRST + step) * STEP + 900 + jitter;
    }

    private Scrape mount(int i, int step, boolean hurt) {
        double[] values = raw[i];
        List<Sample> samples = new ArrayList<>(SAMPLED.size() + 2);
        long atMillis = at(step, i * 11 % 13_000 + random.nextInt(40));
        for (int s = 0; s < values.length; s++) {
            Signal signal = SAMPLED.get(s);
            double value = move(signal, values[s], step, i, hurt);
            values[s] = value;
            samples.add(new Sample(identities[i].scope(), signal, "", value));
        }
        samples.add(new Sample(targetScopes[i], Signal.SCRAPE_SECONDS, "", random.nextInt(2_000_000, 9_000_000) / 1e9));
        samples.add(new Sample(targetScopes[i], Signal.SCRAPE_BYTES, "", 79_000 + random.nextInt(300)));
        List<Distribution> distributions = List.of(
                observe(i, 0, Signal.FUSE_DURATION, 4, 12, 30_000),
                observe(i, 1, Signal.META_DURATION, 8, 8, 1_500),
                observe(i, 2, Signal.GET_DURATION, 15, 5, 60),
                observe(i, 3, Signal.TXN_DURATION, 12, 0, 0));
        return new Scrape.Scraped(
                targets[i],
                true,
                atMillis,
                identities[i],
                samples,
                distributions,
                List.of(),
                Map.of("juicefs_version", "1.4.2"),
                List.of());
    }

    private double move(Signal signal, double before, int step, int i, boolean hurt) {
        double noise = 0.8 + 0.4 * random.nextDouble();
        return switch (signal) {
            case HIT_BYTES, FUSE_READ_BYTES, CACHE_READS -> before + Math.rint(6e9 * noise * (hurt ? 0.4 : 1));
            case MISS_BYTES, GET_BYTES -> before + Math.rint((hurt ? 4e9 : 40e6) * noise);
            case MISSES, GETS -> before + Math.rint((hurt ? 900 : 12) * noise);
            case HITS, FUSE_OPS, READS -> before + Math.rint(24_000 * noise * (hurt ? 0.4 : 1));
            case READ_SECONDS, FUSE_SECONDS -> before + (hurt ? 60 : 9) * noise;
            case GET_SECONDS -> before + (hurt ? 45 : 0.6) * noise;
            case CACHE_READ_SECONDS, META_SECONDS, CLIENT_CPU -> before + 3 * noise;
            case META_OPS -> before + Math.rint(1_500 * noise);
            case CACHE_WRITES, CACHE_EVICTS -> before + Math.rint(10 * noise);
            case CACHE_WRITE_BYTES -> before + Math.rint(40e6 * noise);
            case CACHE_WRITE_SECONDS -> before + 0.1 * noise;
            case CACHED_BYTES -> 900e9 + Math.rint(1e9 * noise);
            case CACHED_BLOCKS -> 240_000 + Math.rint(500 * noise);
            case CLIENT_MEMORY -> 700e6 + Math.rint(40e6 * noise);
            case BUFFER_BYTES, READ_BUFFER_BYTES -> Math.rint(100e6 * noise);
            case OPEN_HANDLES -> 60 + random.nextInt(8);
            case UPTIME -> 90_000 + i + step * 15.0 + random.nextInt(40_000) / 1e6;
            case PROCESS_START -> 1.7958e9 + i + 0.25;
            case USED_SPACE -> 41e12 + step * 4096.0;
            case USED_INODES -> 3_000_000;
            default -> before;
        };
    }

    private Distribution observe(int i, int which, Signal signal, int from, int moved, int most) {
        double[] counts = buckets[i][which].clone();
        double more = 0;
        for (int b = 0; b < counts.length; b++) {
            if (b >= from && b < from + moved) {
                more += random.nextInt(1 + (most >> Math.abs(b - from - moved / 2)));
            }
            counts[b] += more;
        }
        buckets[i][which] = counts;
        return new Distribution(identities[i].scope(), signal, BOUNDS, counts);
    }

    private Scrape job(int group, int step, boolean hurt) {
        String name = "job-" + group;
        Target target = new Target(SourceKind.ACCELERATOR, name, "gpu-" + group + ":9400", null);
        Scope job = Scope.job(name);
        List<Sample> samples = new ArrayList<>();
        for (int d = 0; d < DEVICES; d++) {
            double use = hurt ? 0.2 : 0.9 + random.nextInt(10) / 100.0;
            samples.add(new Sample(job, Signal.ACCELERATOR_USE, "gpu-" + group + "/" + d, use));
        }
        return new Scrape.Scraped(
                target,
                true,
                at(step, 20),
                new Identity(job, "gpu-" + group, null, null, null),
                samples,
                List.of(),
                List.of(),
                Map.of(),
                List.of());
    }

    private Scrape redis(int group, int step) {
        String address = "meta-" + group + ":6379";
        Target target = new Target(SourceKind.REDIS, "job-" + group, address, null);
        Scope redis = Scope.redis("job-" + group, address);
        long from = at(step - 1, 30);
        List<Moment> moments = new ArrayList<>();
        for (int p = 0; p < pings.length; p++) {
            double seconds = (200 + random.nextInt(300)) / 1e6;
            moments.add(new Moment(redis, Moment.Kind.PING, "", from + p * 250L, 0, seconds, from + "/" + p));
        }
        return new Scrape.Scraped(
                target,
                true,
                at(step, 30),
                new Identity(redis, "meta-" + group, null, null, "7.2.4"),
                List.of(
                        Sample.of(redis, Signal.REDIS_OPS, step * 15e3 * (1 + random.nextInt(100) / 1e3)),
                        Sample.of(redis, Signal.REDIS_MEMORY, 4e9 + random.nextInt(1_000_000)),
                        Sample.of(redis, Signal.REDIS_UPTIME, 1e6 + step * 15.0)),
                List.of(),
                moments,
                Map.of("info.maxmemory_policy", "noeviction"),
                List.of());
    }
}
