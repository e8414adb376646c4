package dev.onset.diagnoses;

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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A diagnosis in which every field is filled, to be varied by tests. */
public final class Example {
    public static final long OPENED = 1_796_000_090_000L;
    private static final Scope MOUNT = Scope.mount("vision", "imagenet", "gpu-07", "/mnt/jfs");
    private static final Scope JOB = Scope.job("vision");
    private static final Scope REDIS = Scope.redis("vision", "meta-a:6379");

    private String id = "d1";
    private Scope scope = MOUNT;
    private State state = State.OPEN;
    private Severity severity = Severity.S2;
    private long opened = OPENED;
    private @Nullable Long resolved;
    private @Nullable String recording;
    private Text summary = new Text(
            "imagenet on gpu-07: reads outran the cache; accelerators idle 56 % of the time",
            "gpu-07 上的 imagenet：读取超出缓存，加速卡 56 % 的时间在等待");
    private String command = "juicefs warmup /mnt/jfs/imagenet -p 50";
    private final List<TrailEntry> trail = new ArrayList<>(List.of(new TrailEntry(OPENED, new Text("opened", "已打开"))));

    private Example() {}

    public static Example diagnosis(String id) {
        Example example = new Example();
        example.id = id;
        return example;
    }

    public Example pending() {
        state = State.PENDING;
        opened = 0;
        trail.clear();
        return this;
    }

    public Example openedAt(long millis) {
        opened = millis;
        return this;
    }

    public Example at(Scope about) {
        scope = about;
        return this;
    }

    public Example updatedAt(long millis) {
        trail.add(new TrailEntry(millis, new Text("severity raised", "严重程度上升")));
        return this;
    }

    public Example resolvedAt(long millis) {
        state = State.RESOLVED;
        resolved = millis;
        trail.add(new TrailEntry(millis, new Text("resolved", "已恢复")));
        return this;
    }

    public Example severity(Severity value) {
        severity = value;
        return this;
    }

    public Example recordedIn(String name) {
        recording = name;
        return this;
    }

    public Example saying(Text value) {
        summary = value;
        return this;
    }

    public Example advising(String value) {
        command = value;
        return this;
    }

    public DiagnosisChange change(DiagnosisChange.Kind kind) {
        return new DiagnosisChange(kind, build());
    }

    public Diagnosis build() {
        return new Diagnosis(
                id,
                "cache-miss-before-utilisation-drop",
                scope,
                state,
                OPENED - 30_000,
                opened,
                OPENED + 45_000,
                resolved,
                finding(),
                new Cost(132.5, 98, 167, 8),
                evidence(),
                recording,
                trail);
    }

    private Finding finding() {
        Onset misses = new Onset(MOUNT, Signal.MISS_RATIO, "", OPENED - 45_000, OPENED - 30_000);
        Onset drop = new Onset(JOB, Signal.UTILISATION, "gpu-07/0", OPENED - 15_000, OPENED);
        return new Finding(
                severity,
                Confidence.LIKELY,
                new Text("seen once so far", "目前只见到一次"),
                summary,
                new Text(
                        "Misses rose 15–30 s before utilisation fell, 11 of 12 times.",
                        "未命中先升，15–30 秒后利用率下降，12 次中有 11 次。"),
                List.of(misses, drop),
                new Repetition(13, 12, 11, 1, 0, Double.NaN, 0.0003, false),
                List.of(missLane()),
                List.of(new Reason(new Text("cold first epoch", "首轮冷读"), new Text("this is epoch 3", "已是第 3 轮"))),
                List.of(new Reason(
                        new Text("Redis latency events", "Redis 延迟事件"),
                        new Text("latency-monitor-threshold is 0", "latency-monitor-threshold 为 0"))),
                List.of("cache-too-small"),
                List.of(
                        new Remedy(
                                Remedy.Kind.DO,
                                new Text("Warm the data set up before the next epoch", "在下一轮开始前预热数据集"),
                                command,
                                new Text("misses below 5 % afterwards", "之后未命中率低于 5 %"),
                                new Text("reads 1.2 TB from the object store once", "会从对象存储读取一次 1.2 TB"),
                                new Text("miss ratio of the next epoch", "下一轮的未命中率")),
                        Remedy.doNot(new Text(
                                "Do not raise --buffer-size: 1 % of it is used", "不要调大 --buffer-size：只用了 1 %"))),
                List.of(new Loss(OPENED, OPENED + 45_000, 0.94, Double.NaN)),
                List.of(new Check(new Text("miss ratio rose", "未命中率上升"), "0.61", "> 0.15", true)));
    }

    private static Lane missLane() {
        return new Lane(MOUNT, Signal.MISS_RATIO, "", Double.NaN, 0.61, 0.05);
    }

    private static Evidence evidence() {
        return new Evidence(
                15_000,
                OPENED - 60_000,
                List.of(new Evidence.Track(
                        missLane(),
                        new double[] {0.05, Double.NaN, 0.61, Double.POSITIVE_INFINITY, -0.0},
                        Map.of(1, "TIMED_OUT"))),
                List.of(new Moment(
                        REDIS,
                        Moment.Kind.LATENCY_EVENT,
                        "expire-cycle",
                        OPENED - 40_000,
                        500,
                        Double.NaN,
                        "expire-cycle@1796000050")),
                Map.of("GAP", List.of(1), "CKPT", List.of()));
    }
}
