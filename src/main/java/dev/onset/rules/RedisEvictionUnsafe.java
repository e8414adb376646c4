package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Facts;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.List;

/** At its memory limit Redis deletes keys, and any key may be an inode: files vanish. */
final class RedisEvictionUnsafe implements Rule {
    private static final double NEARLY_FULL = 0.7;

    private static final RuleCard CARD = new RuleCard(
            "redis-eviction-unsafe",
            new Text("Redis may evict metadata", "Redis 可能淘汰元数据"),
            ScopeKind.REDIS,
            Severity.S2,
            RuleCard.Family.SAFETY,
            List.of(Signal.REDIS_MAX_MEMORY, Signal.REDIS_MEMORY));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        Scope redis = window.scope();
        String policy = window.fact(redis, Facts.REDIS_INFO + "maxmemory_policy");
        if (policy == null) {
            policy = window.fact(redis, Facts.REDIS_CONFIG + "maxmemory-policy");
        }
        if (policy == null) {
            return new Verdict.Unsure(List.of(new Reason(
                    new Text("the eviction policy", "淘汰策略"),
                    new Text("INFO does not state it and CONFIG is refused", "INFO 未给出且 CONFIG 被拒绝"))));
        }
        double limit = window.series(Signal.REDIS_MAX_MEMORY).latest();
        double used = window.series(Signal.REDIS_MEMORY).latest();
        double evicted = window.series(Signal.EVICTED_KEYS)
                .max(window.size() - window.axis().steps(40), window.size());
        Checks checks = new Checks();
        checks.add(new Text("a memory limit is set", "设置了内存上限"), Say.bytes(limit), "> 0", limit > 0);
        checks.add(new Text("the policy may evict", "策略允许淘汰"), policy, "noeviction", !policy.equals("noeviction"));
        checks.add(new Text("keys are being evicted", "正在淘汰键"), Say.perSecond(evicted), "> 0", evicted > 0);
        if (limit <= 0
                || policy.equals("noeviction")
                || "flash".equals(window.fact(redis, Facts.REDIS_INFO + "storage_provider"))) {
            return checks.quiet();
        }
        return new Verdict.Found(new Finding(
                severity(window, policy, used / limit, evicted),
                Confidence.CONFIRMED,
                Text.same(""),
                summary(policy, used, limit, evicted),
                Text.same(""),
                List.of(),
                null,
                List.of(
                        Evidence.rise(window.series(Signal.REDIS_MEMORY), 0, window.size()),
                        Evidence.rise(window.series(Signal.EVICTED_KEYS), 0, window.size()),
                        Evidence.rise(window.series(Signal.KEYS), 0, window.size())),
                List.of(),
                List.of(),
                List.of(),
                remedies(window, policy, evicted),
                List.of(),
                checks.all()));
    }

    /** volatile-* touches only keys with a TTL, and JuiceFS sets none. */
    private static Severity severity(Window window, String policy, double share, double evicted) {
        if (policy.startsWith("volatile")) {
            return window.series(Signal.KEYS_WITH_TTL).latest() > 0 ? Severity.S2 : Severity.S3;
        }
        return evicted > 0 || share > NEARLY_FULL ? Severity.S1 : Severity.S2;
    }

    private static Text summary(String policy, double used, double limit, double evicted) {
        if (evicted > 0 && policy.startsWith("allkeys")) {
            return format(
                    "Redis evicts %1$s keys a second under %2$s: metadata was probably deleted; stop the writers.",
                    "Redis 正按 %2$s 每秒淘汰 %1$s 个键：元数据很可能已被删除，请停止写入。", Say.number(evicted), policy);
        }
        return format(
                "The policy of the metadata Redis is %1$s: at its limit (%2$s of %3$s used) it deletes keys instead of refusing"
                        + " writes.",
                "元数据 Redis 的策略是 %1$s：达到上限（已用 %2$s / %3$s）时会删除键而不是拒绝写入。", policy, Say.bytes(used), Say.bytes(limit));
    }

    private static List<Remedy> remedies(Window window, String policy, double evicted) {
        List<Remedy> remedies = new ArrayList<>();
        String refused = window.fact(window.scope(), Facts.REFUSED);
        boolean managed = refused != null && refused.contains("CONFIG");
        Text verify = new Text("evicted_keys stays constant", "evicted_keys 保持不变");
        if (evicted > 0 && policy.startsWith("allkeys")) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Stop the clients that write, then check the volume; restore from the newest dump if files are"
                                    + " missing.",
                            "停止写入客户端后检查卷；若文件缺失，从最新备份恢复。"),
                    "juicefs fsck META-URL",
                    new Text("names what is lost", "列出丢失内容"),
                    new Text("reads all metadata", "会读取全部元数据"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                managed
                        ? new Text(
                                "CONFIG is refused here: set maxmemory-policy to noeviction in the provider's settings.",
                                "此处 CONFIG 被拒绝：请在服务商设置里把 maxmemory-policy 改为 noeviction。")
                        : new Text("Let a full Redis refuse writes.", "让写满的 Redis 拒绝写入。"),
                managed ? "" : "redis-cli CONFIG SET maxmemory-policy noeviction\nredis-cli CONFIG REWRITE",
                new Text("no metadata key can be evicted any more", "元数据键不会再被淘汰"),
                new Text("a full Redis then refuses writes: visible and recoverable", "写满后会拒绝写入：可见且可恢复"),
                verify));
        remedies.add(Remedy.doNot(new Text(
                "Do not choose allkeys-lru because metadata is small: every key may be an inode.",
                "不要因为元数据小就用 allkeys-lru：每个键都可能是 inode。")));
        return remedies;
    }
}
