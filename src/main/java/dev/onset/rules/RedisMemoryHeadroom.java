package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Bound;
import dev.onset.signals.Facts;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.signals.Unit;
import dev.onset.timeline.Series;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** At its memory limit a Redis that does not evict refuses every write, deletes among them: the volume becomes read-only. */
final class RedisMemoryHeadroom implements Rule {
    private static final String ID = "redis-memory-headroom";
    private static final Bound NEAR = new Bound(ID, "near", 0.80, Unit.RATIO);
    private static final Bound NEARLY_FULL = new Bound(ID, "nearly-full", 0.92, Unit.RATIO);
    private static final Bound SUSTAINED = new Bound(ID, "sustained-steps", 4, Unit.COUNT);
    /** What a larger limit is reckoned for. */
    private static final double ROOMY = 0.70;

    private static final RuleCard CARD = new RuleCard(
            ID,
            new Text("Redis is near its memory limit", "Redis 内存余量不足"),
            ScopeKind.REDIS,
            Severity.S2,
            RuleCard.Family.SAFETY,
            List.of(Signal.REDIS_MEMORY, Signal.REDIS_MAX_MEMORY));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(NEAR, NEARLY_FULL, SUSTAINED);
    }

    @Override
    public Verdict judge(Window window) {
        Checks checks = new Checks();
        Series memory = window.series(Signal.REDIS_MEMORY);
        double limit = window.series(Signal.REDIS_MAX_MEMORY).latest();
        double least = memory.min(window.size() - window.steps(SUSTAINED), window.size());
        String policy = window.fact(window.scope(), Facts.REDIS_INFO + "maxmemory_policy");
        boolean limited = checks.add(new Text("a memory limit is set", "设置了内存上限"), Say.bytes(limit), "> 0", limit > 0);
        boolean refuses = checks.add(
                new Text("the policy refuses writes rather than evict", "策略是拒绝写入而非淘汰"),
                policy == null ? "–" : policy,
                "noeviction",
                policy == null || policy.equals("noeviction"));
        boolean near = checks.add(
                new Text("used for four steps", "连续四步的占用"),
                Say.percent(least / limit),
                "≥ " + Say.percent(window.bound(NEAR)),
                least / limit >= window.bound(NEAR));
        return limited && refuses && near ? new Verdict.Found(finding(window, memory, limit, checks)) : checks.quiet();
    }

    private static Finding finding(Window window, Series memory, double limit, Checks checks) {
        double used = memory.latest();
        return new Finding(
                used / limit >= window.bound(NEARLY_FULL) ? Severity.S1 : Severity.S2,
                Confidence.CONFIRMED,
                Text.same(""),
                format(
                        "The metadata Redis uses %1$s of its %2$s (%3$s): at the limit it refuses every write, and the volume"
                                + " becomes read-only.",
                        "元数据 Redis 已用 %1$s / %2$s（%3$s）：到达上限后拒绝一切写入，卷变为只读。",
                        Say.bytes(used),
                        Say.bytes(limit),
                        Say.percent(used / limit)),
                Text.same(""),
                List.of(),
                null,
                List.of(
                        Evidence.rise(memory, 0, window.size()),
                        Evidence.rise(window.series(Signal.KEYS), 0, window.size())),
                List.of(),
                List.of(new Reason(
                        new Text("what takes the memory", "内存被什么占用"),
                        new Text("redis-cli --bigkeys on a replica tells", "可在副本上运行 redis-cli --bigkeys"))),
                List.of(),
                remedies(window, used),
                List.of(),
                checks.all());
    }

    private static List<Remedy> remedies(Window window, double used) {
        String refused = window.fact(window.scope(), Facts.REFUSED);
        boolean managed = refused != null && refused.contains("CONFIG");
        long wanted = (long) Math.ceil(used / ROOMY / (1 << 20));
        Text verify = format("less than %1$s of the limit is used", "占用低于上限的 %1$s", Say.percent(ROOMY));
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                managed
                        ? new Text(
                                "CONFIG is refused here: choose a larger size in the provider's settings.",
                                "此处 CONFIG 被拒绝：请在服务商设置里选择更大规格。")
                        : new Text("Raise the limit, if the host has the memory.", "若主机内存足够，调高上限。"),
                managed ? "" : "redis-cli CONFIG SET maxmemory " + wanted + "mb\nredis-cli CONFIG REWRITE",
                format("used share → %1$s", "占用 → %1$s", Say.percent(ROOMY)),
                new Text(
                        "a snapshot needs up to as much again for a while; above the host's memory the kernel kills Redis",
                        "快照期间最多再需同样多内存；超出主机内存会被内核杀掉"),
                verify));
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Look for leaked and deleted objects, then remove them.", "查找并清理泄漏与已删除的对象。"),
                "juicefs gc META-URL",
                new Text("shows how much could be freed; --delete frees it", "显示可释放多少；加 --delete 才会释放"),
                new Text("lists every object: load on Redis and the store", "会列举全部对象，给 Redis 和对象存储加压"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not switch to a policy that evicts: it deletes metadata to make room.",
                "不要改用会淘汰的策略：那是靠删除元数据腾空间。")));
        return remedies;
    }
}
