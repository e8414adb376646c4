package dev.onset.outlets.api;

import dev.onset.diagnoses.Cost;
import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Evidence;
import dev.onset.diagnoses.State;
import dev.onset.diagnoses.TrailEntry;
import dev.onset.rules.Check;
import dev.onset.rules.Confidence;
import dev.onset.rules.Finding;
import dev.onset.rules.Lane;
import dev.onset.rules.Loss;
import dev.onset.rules.Onset;
import dev.onset.rules.Reason;
import dev.onset.rules.Remedy;
import dev.onset.rules.Repetition;
import dev.onset.rules.Severity;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** Diagnoses as a real cluster would give them, to look at and to test the page and the API with. */
final class SampleDiagnoses implements Diagnoses {
    static final long STEP = 15_000;
    static final String GROUP = "train-a";
    static final String HOSTILE = "<img src=x onerror=\"document.title='owned'\">";
    static final Scope MOUNT = Scope.mount(GROUP, "imagenet", "gpu-07", "/mnt/jfs");
    static final Scope JOB = Scope.job(GROUP);
    static final Scope HOST = Scope.host(GROUP, "gpu-07");
    static final Scope REDIS = Scope.redis(GROUP, "meta-a:6379");
    private static final double MIB = 1 << 20;

    private final List<Diagnosis> kept = new CopyOnWriteArrayList<>();

    SampleDiagnoses(long nowMillis) {
        long now = nowMillis - nowMillis % STEP;
        kept.add(cacheMiss(now));
        kept.add(hostile(now));
        kept.add(redisExpiry(now));
    }

    /** A bad night: four of five are slow reads from the store, the others slow checkpoints. */
    static List<Diagnosis> many(long nowMillis, int count) {
        Diagnosis like = cacheMiss(nowMillis - nowMillis % STEP);
        List<Diagnosis> many = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean slow = i % 5 != 0;
            String host = "gpu-%05d".formatted(i);
            Text summary = slow
                    ? Text.format(
                            "the object store answers slowly for %1$s: GETs take 1.4 s",
                            "%1$s 读对象存储变慢：GET 耗时 1.4 秒", host)
                    : Text.format("checkpoints of %1$s wait for uploads", "%1$s 的检查点在等待上传", host);
            many.add(new Diagnosis(
                    "many" + i,
                    slow ? "object-store-latency" : "checkpoint-write-stall",
                    Scope.mount("job-" + i / 100, "imagenet", host, "/mnt/jfs"),
                    State.OPEN,
                    like.firstSeenMillis() + i,
                    like.openedMillis() + i,
                    like.lastSeenMillis(),
                    null,
                    finding(like.finding(), slow ? Severity.S2 : Severity.S3, summary),
                    like.cost(),
                    like.evidence(),
                    null,
                    like.trail()));
        }
        return many;
    }

    private static Finding finding(Finding like, Severity severity, Text summary) {
        return new Finding(
                severity,
                like.confidence(),
                like.whyNotSurer(),
                summary,
                like.detail(),
                like.onsets(),
                like.repetition(),
                like.lanes(),
                like.ruledOut(),
                like.unknown(),
                like.subCauses(),
                like.remedies(),
                like.losses(),
                like.checks());
    }

    /** The working set outgrew the cache eleven minutes ago. */
    static Diagnosis cacheMiss(long now) {
        long onset = now - 44 * STEP;
        long start = onset - 40 * STEP;
        int steps = 84;
        Made made = new Made(steps, 7);
        boolean[] bad = new boolean[steps];
        for (int k = 40; k < steps; k++) {
            bad[k] = (k - 40) % 4 != 3;
        }
        List<Lane> lanes = List.of(
                new Lane(JOB, Signal.UTILISATION, "", 0.97, 0.41, 0.44),
                new Lane(MOUNT, Signal.MISS_BYTES, "", 0.31 * MIB, 212 * MIB, 190 * MIB),
                new Lane(MOUNT, Signal.GET_BYTES, "", 0.40 * MIB, 214 * MIB, 195 * MIB),
                new Lane(MOUNT, Signal.READ_COST, "", 1.8, 9.7, 9.1),
                new Lane(MOUNT, Signal.READ_SECONDS, "", 0.35, 3.6, 3.4),
                new Lane(MOUNT, Signal.GET_LATENCY, "", 0.061, 0.064, 0.062),
                new Lane(MOUNT, Signal.CACHE_EVICTS, "", 0, 52, 49));
        List<Evidence.Track> tracks = List.of(
                new Evidence.Track(lanes.get(0), made.level(0.97, 0.41, 0.02, shifted(bad, 1)), Map.of()),
                new Evidence.Track(lanes.get(1), made.level(0.31 * MIB, 205 * MIB, 0.08, bad), gaps(22, "RESET")),
                new Evidence.Track(lanes.get(2), made.level(0.40 * MIB, 208 * MIB, 0.08, bad), gaps(22, "RESET")),
                new Evidence.Track(lanes.get(3), made.level(1.8, 9.3, 0.10, bad), gaps(22, "RESET")),
                new Evidence.Track(lanes.get(4), made.level(0.35, 3.5, 0.12, bad), gaps(22, "RESET")),
                new Evidence.Track(lanes.get(5), made.level(0.061, 0.063, 0.05, bad), gaps(22, "RESET")),
                new Evidence.Track(lanes.get(6), made.level(0, 51, 0.06, bad), gaps(22, "RESET")),
                new Evidence.Track(
                        new Lane(HOST, Signal.DISK_QUEUE, "nvme0n1", 0.4, 0.9, 0.8),
                        made.level(0.4, 0.8, 0.2, bad),
                        Map.of()),
                new Evidence.Track(
                        new Lane(JOB, Signal.SAMPLES, "", 160, 70, 72),
                        made.level(160, 71, 0.02, shifted(bad, 1)),
                        Map.of()));
        blank(tracks);
        Evidence evidence = new Evidence(
                STEP, start, tracks, List.of(), Map.of("CKPT", List.of(10, 11, 12), "RESTART", List.of(22, 23, 24)));
        List<Onset> onsets = List.of(
                onset(MOUNT, Signal.MISS_BYTES, onset - STEP + 2400, onset + 2400),
                onset(MOUNT, Signal.GET_BYTES, onset - STEP + 2400, onset + 2400),
                onset(MOUNT, Signal.READ_COST, onset + 2400, onset + STEP + 2400),
                onset(JOB, Signal.UTILISATION, onset + STEP - 9000, onset + STEP + 6000));
        Finding finding = new Finding(
                Severity.S2,
                Confidence.LIKELY,
                new Text(
                        "only 5 of the 11 dips lie in a later step than their miss spike; the other 6 share its 15 s step",
                        "11 次下降中只有 5 次与未命中尖峰不在同一步，其余 6 次落在同一个 15 秒内"),
                new Text(
                        "imagenet on gpu-07: reads outran the cache; accelerators idle 56 % of the time",
                        "gpu-07 上的 imagenet：读取超出缓存，加速器有 56 % 的时间在等待"),
                new Text(
                        "Misses rose 0–30 s before utilisation fell, 11 of 12 times.",
                        "未命中先升，0–30 秒后利用率下降，12 次中有 11 次如此。"),
                onsets,
                new Repetition(12, 11, 11, 6, 0, 15, 0.0004, false),
                lanes,
                List.of(
                        new Reason(
                                new Text("First pass over the data", "首轮冷读"),
                                new Text(
                                        "52 blocks/s were evicted and cached bytes stayed flat at 499 MiB",
                                        "每秒淘汰 52 个块，缓存量稳定在 499 MiB")),
                        new Reason(
                                new Text("Slow object store", "对象存储变慢"),
                                new Text("GET took 64 ms, before it 61 ms", "GET 平均 64 ms，此前为 61 ms")),
                        new Reason(
                                new Text("Evaluation or end of the job", "评估阶段或作业结束"),
                                new Text(
                                        "reads kept waiting: 3.6 in flight, before it 0.35",
                                        "读请求一直在等待：3.6 个在途，此前为 0.35 个")),
                        new Reason(
                                new Text("Checkpoint", "检查点写入"),
                                new Text("writes stayed below 0.1 MiB/s", "写入一直低于 0.1 MiB/s"))),
                List.of(new Reason(
                        new Text("Whether the network card was full", "网卡是否打满"),
                        new Text(
                                "node_exporter on gpu-07 exports no link speed; start it with --collector.netclass",
                                "gpu-07 的 node_exporter 未导出网卡速率；启动时加上 --collector.netclass"))),
                List.of("cache-capacity-thrash"),
                List.of(
                        new Remedy(
                                Remedy.Kind.DO,
                                new Text("Warm the cache before the next run.", "在下次训练前预热缓存。"),
                                "juicefs warmup /mnt/jfs/imagenet -p 50",
                                new Text(
                                        "Misses below 2 % in the next epoch, if 1000 MiB fit.",
                                        "若能容纳 1000 MiB，下一轮未命中低于 2 %。"),
                                new Text(
                                        "Loads the object store and the cache disk for about 3 min.",
                                        "预热约 3 分钟，期间增加对象存储与缓存盘负载。"),
                                new Text(
                                        "miss_bps falls by 90 % at the same phase of the next epoch.",
                                        "下一轮同一阶段 miss_bps 下降 90 %。")),
                        new Remedy(
                                Remedy.Kind.DO,
                                new Text(
                                        "Give the cache room for 1.2 times what this node reads per epoch.",
                                        "让缓存能容纳本节点每轮读取量的 1.2 倍。"),
                                "juicefs mount redis://meta-a:6379/1 /mnt/jfs --cache-size 1200 --cache-dir /srv/cache",
                                new Text("Evictions stop; utilisation back to 97 %.", "不再淘汰，利用率回到 97 %。"),
                                new Text(
                                        "Needs 700 MiB more on /srv/cache and a remount.",
                                        "/srv/cache 需多占 700 MiB，并需重新挂载。"),
                                new Text("Evictions stay at 0 for two epochs.", "连续两轮淘汰为 0。")),
                        Remedy.doNot(new Text(
                                "Do not raise --prefetch: it downloads more for each miss, and the store link is already the limit.",
                                "不要调大 --prefetch：每次未命中会下载更多，而瓶颈正是到存储的带宽。"))),
                List.of(new Loss(onset, now, 0.97, 0.02)),
                List.of(
                        new Check(new Text("misses rise", "未命中上升"), "212 MiB/s", "≥ 20 MiB/s", true),
                        new Check(new Text("reads cost more", "读取代价上升"), "9.7 s/GB", "≥ 5.4 s/GB", true)));
        return new Diagnosis(
                "d7k2m9qa",
                "cache-miss-before-utilisation-drop",
                MOUNT,
                State.OPEN,
                onset,
                onset + 2 * STEP,
                now,
                null,
                finding,
                new Cost(1470, 1390, 1550, 4),
                evidence,
                null,
                List.of(
                        new TrailEntry(onset, new Text("first seen", "首次发现")),
                        new TrailEntry(onset + 2 * STEP, new Text("opened as S2, possible", "以 S2、可能 打开")),
                        new TrailEntry(onset + 12 * STEP, new Text("now likely: mechanism confirmed", "升为很可能：机制已证实"))));
    }

    /** Another tenant's keys expired together, three times, an hour and a half ago. From a recording. */
    static Diagnosis redisExpiry(long now) {
        long onset = now - 360 * STEP;
        long start = onset - 30 * STEP;
        int steps = 60;
        Made made = new Made(steps, 3);
        boolean[] bad = new boolean[steps];
        bad[30] = bad[31] = bad[33] = bad[35] = bad[36] = true;
        List<Lane> lanes = List.of(
                new Lane(REDIS, Signal.RTT_MAX, "", 0.0011, 0.184, 0.0012),
                new Lane(REDIS, Signal.EXPIRED_KEYS, "", 0, 160_000, 0),
                new Lane(MOUNT, Signal.META_LATENCY, "", 0.0014, 0.021, 0.0014),
                new Lane(JOB, Signal.UTILISATION, "", 0.96, 0.88, 0.96));
        List<Evidence.Track> tracks = List.of(
                new Evidence.Track(lanes.get(0), made.level(0.0011, 0.17, 0.1, bad), gaps(44, "TIMED_OUT")),
                new Evidence.Track(lanes.get(1), made.level(0, 150_000, 0.1, bad), gaps(44, "TIMED_OUT")),
                new Evidence.Track(lanes.get(2), made.level(0.0014, 0.02, 0.1, bad), Map.of()),
                new Evidence.Track(lanes.get(3), made.level(0.96, 0.89, 0.01, bad), Map.of()));
        blank(tracks);
        List<Moment> moments = List.of(
                moment("expire-cycle", onset + 3_000, 0.031),
                moment("expire-del", onset + 4_000, 0.162),
                moment("expire-cycle", onset + 43_000, 0.033),
                moment("expire-cycle", onset + 83_000, 0.030));
        Evidence evidence = new Evidence(STEP, start, tracks, moments, Map.of());
        Finding finding = new Finding(
                Severity.S3,
                Confidence.CONFIRMED,
                Text.same(""),
                new Text(
                        "Redis meta-a:6379 stalled up to 184 ms while keys of another tenant expired",
                        "Redis meta-a:6379 在其他租户的键集中过期时停顿达 184 ms"),
                new Text(
                        "Expiry and stall fell into the same second 3 of 3 times; JuiceFS itself sets no expiry.",
                        "过期与停顿三次都在同一秒；JuiceFS 自身不设置过期时间。"),
                List.of(
                        onset(REDIS, Signal.EXPIRED_KEYS, onset, onset + STEP),
                        onset(REDIS, Signal.RTT_MAX, onset + 2_500, onset + 4_500),
                        onset(MOUNT, Signal.META_LATENCY, onset, onset + STEP)),
                new Repetition(3, 3, 3, 1, 0, 0.4, 0.012, false),
                lanes,
                List.of(new Reason(
                        new Text("A slow command", "慢命令"),
                        new Text("the slow log holds nothing above 10 ms in this window", "此时段慢日志中没有超过 10 ms 的命令"))),
                List.of(),
                List.of(),
                List.of(
                        new Remedy(
                                Remedy.Kind.DO,
                                new Text("Free expired sets in the background.", "在后台释放过期的集合。"),
                                "redis-cli -h meta-a CONFIG SET lazyfree-lazy-expire yes",
                                new Text(
                                        "Stalls of 162 ms shrink to the 31 ms of the cycle itself.",
                                        "162 ms 的停顿缩短到过期周期本身的 31 ms。"),
                                new Text("Memory is given back a little later.", "内存释放稍晚。"),
                                new Text("No ping above 50 ms at the next expiry.", "下次过期时没有超过 50 ms 的 PING。")),
                        Remedy.doNot(new Text(
                                "Do not raise active-expire-effort: each cycle would then hold the thread for longer.",
                                "不要调高 active-expire-effort：每个周期会占用主线程更久。"))),
                List.of(),
                List.of(new Check(new Text("keys with an expiry", "带过期时间的键"), "2400000", "> 0", true)));
        return new Diagnosis(
                "d3x8r1pc",
                "redis-expiry-spike",
                REDIS,
                State.RESOLVED,
                onset,
                onset + STEP,
                onset + 7 * STEP,
                onset + 15 * STEP,
                finding,
                new Cost(38, 12, 64, 4),
                evidence,
                "06-redis-expiry",
                List.of(
                        new TrailEntry(onset + STEP, new Text("opened as S3, likely", "以 S3、很可能 打开")),
                        new TrailEntry(onset + 15 * STEP, new Text("resolved", "已恢复"))));
    }

    /** Every name in it tries to break out of the page. */
    static Diagnosis hostile(long now) {
        long onset = now - 12 * STEP;
        Scope mount = Scope.mount(GROUP, HOSTILE, "gpu-08\"'>", "/mnt/</script><script>alert(1)</script>");
        Made made = new Made(40, 5);
        boolean[] bad = new boolean[40];
        bad[28] = bad[29] = true;
        Lane lane = new Lane(mount, Signal.STAGED_BYTES, HOSTILE, 0, 240 * MIB, 0);
        Finding finding = new Finding(
                Severity.S3,
                Confidence.POSSIBLE,
                new Text("seen once, with no disk metrics from " + HOSTILE, "只出现一次，且缺少 " + HOSTILE + " 的磁盘指标"),
                new Text(HOSTILE + ": staging writes met cache reads", HOSTILE + "：写回与缓存读取相争"),
                new Text("Staged 240 MiB/s while reads waited.", "写回 240 MiB/s 时读取在等待。"),
                List.of(onset(mount, Signal.STAGED_BYTES, onset, onset + STEP)),
                null,
                List.of(lane),
                List.of(new Reason(Text.same(HOSTILE), Text.same("<b>0</b>"))),
                List.of(new Reason(Text.same(HOSTILE), Text.same("javascript:alert(1)"))),
                List.of(),
                List.of(new Remedy(
                        Remedy.Kind.DO,
                        Text.same(HOSTILE),
                        "juicefs config META-URL --upload-limit 800 # " + HOSTILE,
                        Text.same(HOSTILE),
                        Text.same(""),
                        Text.same(""))),
                List.of(),
                List.of());
        return new Diagnosis(
                "dhostile",
                "writeback-read-collision",
                mount,
                State.EASING,
                onset,
                onset + STEP,
                now,
                null,
                finding,
                Cost.NONE,
                new Evidence(
                        STEP,
                        onset - 28 * STEP,
                        List.of(new Evidence.Track(lane, made.level(0, 240 * MIB, 0.1, bad), gaps(4, HOSTILE))),
                        List.of(),
                        Map.of(HOSTILE, List.of(8, 9, 10))),
                null,
                List.of(new TrailEntry(onset, Text.same(HOSTILE))));
    }

    void add(Diagnosis diagnosis) {
        kept.removeIf(old -> old.id().equals(diagnosis.id()));
        kept.add(diagnosis);
    }

    void clear() {
        kept.clear();
    }

    @Override
    public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
        touched.forEach(this::add);
    }

    @Override
    public List<Diagnosis> list(int limit) {
        return kept.stream()
                .filter(diagnosis -> diagnosis.state() != State.PENDING)
                .sorted(Comparator.comparingLong(Diagnosis::openedMillis).reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public List<Diagnosis> resolved(int limit) {
        return list(Integer.MAX_VALUE).stream()
                .filter(diagnosis -> diagnosis.state() == State.RESOLVED)
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<Diagnosis> find(String id) {
        return kept.stream().filter(diagnosis -> diagnosis.id().equals(id)).findFirst();
    }

    @Override
    public List<Diagnosis> unresolved() {
        return kept.stream()
                .filter(diagnosis -> diagnosis.state() != State.RESOLVED)
                .toList();
    }

    private static Onset onset(Scope scope, Signal signal, long from, long to) {
        return new Onset(scope, signal, "", from, to);
    }

    private static Moment moment(String name, long at, double seconds) {
        return new Moment(REDIS, Moment.Kind.LATENCY_EVENT, name, at, 500, seconds, name + at);
    }

    private static boolean[] shifted(boolean[] steps, int by) {
        boolean[] shifted = new boolean[steps.length];
        System.arraycopy(steps, 0, shifted, by, steps.length - by);
        return shifted;
    }

    private static Map<Integer, String> gaps(int first, String reason) {
        return Map.of(first, reason, first + 1, reason);
    }

    private static void blank(List<Evidence.Track> tracks) {
        for (Evidence.Track track : tracks) {
            track.gaps().keySet().forEach(step -> track.values()[step] = Double.NaN);
        }
    }

    /** Series that look measured, the same in each run. */
    static final class Made {
        private final int steps;
        private final Random random;

        Made(int steps, long seed) {
            this.steps = steps;
            this.random = new Random(seed);
        }

        double[] level(double good, double bad, double noise, boolean[] isBad) {
            double[] values = new double[steps];
            for (int k = 0; k < steps; k++) {
                double level = isBad[k] ? bad : good;
                values[k] = Math.max(0, level * (1 + noise * random.nextGaussian()));
                if (good <= 1 && bad <= 1) {
                    values[k] = Math.min(1, values[k]);
                }
            }
            return values;
        }
    }
}
