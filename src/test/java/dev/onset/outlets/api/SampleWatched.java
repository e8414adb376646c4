package dev.onset.outlets.api;

import dev.onset.diagnoses.Evidence;
import dev.onset.rules.Check;
import dev.onset.rules.Judgement;
import dev.onset.rules.Lane;
import dev.onset.rules.Reason;
import dev.onset.rules.RuleBook;
import dev.onset.rules.RuleCard;
import dev.onset.rules.Verdict;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A small cluster with one blind spot. */
final class SampleWatched implements Watched {
    private static final long STEP = SampleDiagnoses.STEP;
    private static final double MIB = 1 << 20;
    private final long now;
    private Status status;
    private List<Status.TargetState> targets = List.of();
    private List<Scope> scopes = List.of();

    SampleWatched(long nowMillis) {
        this.now = nowMillis;
        status = partlyBlind(nowMillis);
        status(status);
    }

    void status(Status next) {
        status = next;
        targets = next.targets();
        scopes = next.scopes();
    }

    /** A large cluster: every tenth mount is silent, and no host has a node exporter. */
    void tenThousandMounts() {
        status(partlyBlind(now));
        List<Status.TargetState> all = new ArrayList<>();
        List<Scope> mounts = new ArrayList<>(scopes);
        for (int i = 0; i < 10_000; i++) {
            String host = "gpu-%05d".formatted(i);
            all.add(new Status.TargetState(
                    SourceKind.JUICEFS,
                    "10.1.%d.%d:9567".formatted(i / 250, i % 250),
                    host,
                    "job-" + i / 100,
                    i % 10 != 0,
                    now - 3600_000L,
                    i % 10 == 0 ? new Text("connection refused", "连接被拒绝") : null,
                    List.of(),
                    List.of(),
                    () -> new Status.Asking(41, 4.2, 61_000)));
            mounts.add(Scope.mount("job-" + i / 100, "imagenet", host, "/mnt/jfs"));
        }
        targets = all;
        scopes = mounts;
        status = new Status(
                now,
                status.sinceMillis(),
                status.lastStepMillis(),
                STEP,
                true,
                null,
                new Status.Counts(100, 10_000, 10_000, 2, 80_000),
                15,
                List.of(blind("checkpoint-write-stall"), blind("writeback-read-collision")),
                new Status.TargetCounts(10_000, 9_000, 0, 0),
                all.stream()
                        .sorted(Comparator.comparingInt(Status.TargetState::rank))
                        .limit(Status.MOST_TARGETS)
                        .toList(),
                List.of(),
                0,
                null,
                mounts.subList(0, 24));
    }

    private static Status.CannotJudge blind(String rule) {
        return new Status.CannotJudge(
                rule,
                Scope.mount("job-0", "imagenet", "gpu-00000", "/mnt/jfs"),
                List.of(new Text("no dev_q: no node exporter of its host", "缺少 dev_q：其主机没有 node exporter")),
                10_000);
    }

    @Override
    public Status status() {
        return status;
    }

    @Override
    public List<Status.TargetState> targets() {
        return targets.stream().sorted(Status.TargetState.BY_NAME).toList();
    }

    @Override
    public List<Scope> scopes() {
        return scopes.stream().sorted(BY_NAME).toList();
    }

    @Override
    public Optional<Why> why(Scope scope, long atMillis) {
        if (!scopes.contains(scope)) {
            return Optional.empty();
        }
        RuleCard card = new RuleBook()
                .cards().stream()
                        .filter(each -> each.scope() == scope.kind())
                        .findFirst()
                        .orElseThrow();
        Check met = new Check(new Text("misses", "未命中"), "40 %", "≥ 10 %", true);
        Check not = new Check(new Text("utilisation fell", "利用率下降"), "2 %", "≥ 20 %", false);
        Reason missing =
                new Reason(new Text("no node exporter", "没有 node exporter"), new Text("not configured", "未配置"));
        return Optional.of(new Why(
                status.lastStepMillis(),
                List.of(
                        new Judgement(card, scope, new Verdict.Unsure(List.of(missing))),
                        new Judgement(card, scope, new Verdict.Quiet(List.of(met, not))))));
    }

    static Status partlyBlind(long now) {
        long step = now - now % STEP;
        return new Status(
                now,
                step - 5 * 3600_000L,
                step,
                STEP,
                true,
                null,
                new Status.Counts(3, 12, 4, 2, 16),
                8,
                List.of(new Status.CannotJudge(
                        "writeback-read-collision",
                        Scope.mount(SampleDiagnoses.GROUP, "imagenet", "gpu-09", "/mnt/jfs"),
                        List.of(new Text("no node exporter on gpu-09", "gpu-09 上没有 node exporter")),
                        1)),
                new Status.TargetCounts(6, 5, 0, 1),
                targets(step),
                List.of(new Text(
                        "gpu-08 is 0.4 s ahead of this clock; its onsets are widened by as much",
                        "gpu-08 的时钟快 0.4 秒，其起点区间已相应放宽")),
                2,
                null,
                List.of(SampleDiagnoses.JOB, SampleDiagnoses.MOUNT, SampleDiagnoses.HOST, SampleDiagnoses.REDIS));
    }

    static Status allWell(long now) {
        Status blind = partlyBlind(now);
        return new Status(
                now,
                blind.sinceMillis(),
                blind.lastStepMillis(),
                STEP,
                true,
                null,
                blind.counts(),
                blind.rules(),
                List.of(),
                new Status.TargetCounts(5, 5, 0, 1),
                blind.targets().stream().filter(Status.TargetState::up).toList(),
                List.of(),
                0,
                null,
                blind.scopes());
    }

    private static List<Status.TargetState> targets(long step) {
        return List.of(
                up(SourceKind.JUICEFS, "10.0.0.7:9567", "gpu-07", step, 4.1, 61_000, List.of()),
                up(
                        SourceKind.JUICEFS,
                        "10.0.0.8:9567",
                        "gpu-08",
                        step,
                        4.4,
                        61_400,
                        List.of(new Text(
                                "line 412: unescaped quote in label mp; the other 811 lines were used",
                                "第 412 行：标签 mp 中有未转义的引号；其余 811 行已使用"))),
                up(SourceKind.NODE, "10.0.0.7:9100", "gpu-07", step, 11.8, 118_000, List.of()),
                up(SourceKind.TRAINER, "10.0.0.7:9900", "gpu-07", step, 1.2, 900, List.of()),
                new Status.TargetState(
                        SourceKind.REDIS,
                        "meta-a:6379",
                        "meta-a",
                        SampleDiagnoses.GROUP,
                        true,
                        step - 5 * 3600_000L,
                        null,
                        List.of(),
                        List.of(new Text("CONFIG is refused: settings are not checked", "CONFIG 被拒绝：无法检查其设置")),
                        () -> new Status.Asking(38, 2.2, 5400)),
                new Status.TargetState(
                        SourceKind.NODE,
                        "10.0.0.9:9100",
                        "gpu-09",
                        SampleDiagnoses.GROUP,
                        false,
                        step - 900_000,
                        new Text("connection refused", "连接被拒绝"),
                        List.of(),
                        List.of(),
                        () -> Status.Asking.UNKNOWN));
    }

    private static Status.TargetState up(
            SourceKind kind, String address, String host, long step, double millis, double bytes, List<Text> faults) {
        return new Status.TargetState(
                kind,
                address,
                host,
                SampleDiagnoses.GROUP,
                true,
                step - 5 * 3600_000L,
                null,
                faults,
                List.of(),
                () -> new Status.Asking(41, millis, bytes));
    }

    @Override
    public Optional<Evidence> timeline(Scope scope, List<Signal> signals, long fromMillis, long toMillis) {
        if (!scopes.contains(scope)) {
            return Optional.empty();
        }
        long start = fromMillis - Math.floorMod(fromMillis, STEP);
        int steps = (int) ((Math.min(toMillis, now) - start) / STEP);
        List<Evidence.Track> tracks = new ArrayList<>();
        for (Signal signal : signals.isEmpty() ? List.of(Signal.UTILISATION) : signals) {
            Scope about = signal.scope() == scope.kind() ? scope : connected(signal.scope());
            tracks.add(track(about, signal, Math.max(0, steps), start));
        }
        return Optional.of(new Evidence(STEP, start, tracks, List.of(), Map.of()));
    }

    private static Scope connected(ScopeKind kind) {
        return switch (kind) {
            case JOB -> SampleDiagnoses.JOB;
            case HOST -> SampleDiagnoses.HOST;
            case REDIS -> SampleDiagnoses.REDIS;
            default -> SampleDiagnoses.MOUNT;
        };
    }

    private Evidence.Track track(Scope scope, Signal signal, int steps, long start) {
        boolean[] bad = new boolean[steps];
        long onset = now - 44 * STEP;
        for (int k = 0; k < steps; k++) {
            long age = (start + k * STEP - onset) / STEP;
            bad[k] = age >= 0 && age % 4 != 3;
        }
        SampleDiagnoses.Made made = new SampleDiagnoses.Made(steps, signal.id().hashCode());
        double[] values =
                switch (signal) {
                    case UTILISATION -> made.level(0.97, 0.41, 0.02, bad);
                    case MISS_BYTES, GET_BYTES -> made.level(0.4 * MIB, 205 * MIB, 0.08, bad);
                    case RTT_MAX -> made.level(0.0011, 0.0013, 0.2, bad);
                    case STAGED_BYTES -> new double[steps];
                    default -> made.level(0.4, 0.8, 0.2, bad);
                };
        Arrays.fill(values, Math.min(steps, 60), Math.min(steps, 62), Double.NaN);
        return new Evidence.Track(
                new Lane(scope, signal, "", Double.NaN, Double.NaN, Double.NaN),
                values,
                steps > 62 ? Map.of(60, "TIMED_OUT", 61, "TIMED_OUT") : Map.of());
    }
}
