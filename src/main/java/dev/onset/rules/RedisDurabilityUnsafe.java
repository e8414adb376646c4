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
import org.jspecify.annotations.Nullable;

/** Redis keeps nothing on disk: names, sizes and the way from file to block are gone after its next restart. */
final class RedisDurabilityUnsafe implements Rule {
    private static final double OLD_SAVE_SECONDS = 6 * 3600.0;

    private static final RuleCard CARD = new RuleCard(
            "redis-durability-unsafe",
            new Text("The metadata Redis has no persistence", "元数据 Redis 未持久化"),
            ScopeKind.REDIS,
            Severity.S1,
            RuleCard.Family.SAFETY,
            List.of(Signal.AOF_ENABLED));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        Scope redis = window.scope();
        boolean aof = window.series(Signal.AOF_ENABLED).latest() > 0;
        String save = window.fact(redis, Facts.REDIS_CONFIG + "save");
        String appendfsync = window.fact(redis, Facts.REDIS_CONFIG + "appendfsync");
        String aofWrite = window.fact(redis, Facts.REDIS_INFO + "aof_last_write_status");
        String rdbSave = window.fact(redis, Facts.REDIS_INFO + "rdb_last_bgsave_status");
        boolean broken = (aof && failed(aofWrite)) || failed(rdbSave);
        Boolean rdb = rdb(window, save);
        Checks checks = new Checks();
        checks.add(new Text("append-only file is on", "AOF 已开启"), aof ? "yes" : "no", "yes", aof);
        checks.add(
                new Text("snapshots are configured", "已配置 RDB 快照"),
                rdb == null ? "unknown" : (rdb ? "yes" : "no"),
                "yes",
                Boolean.TRUE.equals(rdb));
        checks.add(new Text("last write to disk succeeded", "最近一次落盘成功"), broken ? "no" : "yes", "yes", !broken);
        if (broken) {
            return found(window, checks, Severity.S1, writeFailed(aofWrite, rdbSave));
        }
        if (!aof && rdb == null) {
            return new Verdict.Unsure(List.of(new Reason(
                    new Text("whether snapshots are configured", "是否配置 RDB 快照"),
                    new Text(
                            "CONFIG is refused to us and the last snapshot is recent: check the provider's settings",
                            "CONFIG 被拒绝且最近有快照：请在服务商控制台确认"))));
        }
        if (!aof && Boolean.FALSE.equals(rdb)) {
            return found(window, checks, Severity.S1, neither(window));
        }
        if (!aof) {
            return found(
                    window,
                    checks,
                    Severity.S2,
                    format(
                            "Redis keeps snapshots only (save %1$s): a crash loses everything since the last one.",
                            "Redis 仅有快照（save %1$s）：崩溃会丢失上次快照之后的全部元数据。", save == null ? "?" : save));
        }
        if ("no".equals(appendfsync)) {
            return found(
                    window,
                    checks,
                    Severity.S3,
                    new Text(
                            "Redis leaves flushing of its append-only file to the kernel (appendfsync no): a power cut loses"
                                    + " up to half a minute of metadata.",
                            "Redis 的 AOF 由内核决定何时落盘（appendfsync no）：断电最多丢失约半分钟元数据。"));
        }
        return checks.quiet();
    }

    private static boolean failed(@Nullable String status) {
        return status != null && !status.equals("ok");
    }

    /** Null when it cannot be told. */
    private static @Nullable Boolean rdb(Window window, @Nullable String save) {
        if (save != null) {
            return !save.isBlank();
        }
        double last = window.series(Signal.RDB_LAST_SAVE).latest();
        double pending = window.series(Signal.RDB_CHANGES).latest();
        double age = window.startMillis(window.now()) / 1e3 - last;
        boolean forgotten = age > OLD_SAVE_SECONDS && pending > 0;
        return forgotten ? Boolean.FALSE : null;
    }

    private static Text writeFailed(@Nullable String aofWrite, @Nullable String rdbSave) {
        return format(
                "Redis cannot write its state to disk (AOF %1$s, snapshot %2$s): a restart loses metadata.",
                "Redis 无法把状态写入磁盘（AOF %1$s，快照 %2$s）：重启会丢失元数据。",
                aofWrite == null ? "–" : aofWrite,
                rdbSave == null ? "–" : rdbSave);
    }

    private static Text neither(Window window) {
        double inodes = window.series(Signal.USED_INODES).latest();
        String known = Double.isNaN(inodes) ? "" : " (" + Say.number(inodes) + " inodes)";
        return format(
                "Redis has neither append-only file nor snapshots: a restart loses the volume's metadata%1$s, and the object"
                        + " store cannot give it back.",
                "Redis 既无 AOF 也无快照：一旦重启，卷的元数据%1$s全部丢失，且无法从对象存储恢复。", known);
    }

    private static Verdict found(Window window, Checks checks, Severity severity, Text summary) {
        return new Verdict.Found(new Finding(
                severity,
                Confidence.CONFIRMED,
                Text.same(""),
                summary,
                Text.same(""),
                List.of(),
                null,
                List.of(
                        Evidence.rise(window.series(Signal.RDB_CHANGES), 0, window.size()),
                        Evidence.rise(window.series(Signal.REDIS_MEMORY), 0, window.size())),
                List.of(),
                unknown(window),
                List.of(),
                remedies(window, severity),
                List.of(),
                checks.all()));
    }

    private static List<Reason> unknown(Window window) {
        List<Reason> unknown = new ArrayList<>();
        unknown.add(new Reason(
                new Text("whether a copy exists off this host", "是否有主机外副本"),
                window.series(Signal.REDIS_SLAVES).latest() > 0
                        ? new Text("a replica is connected; its own persistence is not watched", "有副本连接，但未监视其持久化")
                        : new Text("no replica is connected", "没有副本连接")));
        return unknown;
    }

    private static List<Remedy> remedies(Window window, Severity severity) {
        List<Remedy> remedies = new ArrayList<>();
        Text verify = new Text(
                "aof_enabled:1, aof_last_write_status:ok and aof_delayed_fsync not growing in INFO persistence",
                "INFO persistence 显示 aof_enabled:1、aof_last_write_status:ok 且 aof_delayed_fsync 不增长");
        String appendfsync = window.fact(window.scope(), Facts.REDIS_CONFIG + "appendfsync");
        StringBuilder command = new StringBuilder();
        if (window.series(Signal.AOF_ENABLED).latest() == 0) {
            command.append("redis-cli CONFIG SET appendonly yes\n");
        }
        if (!"everysec".equals(appendfsync) && !"always".equals(appendfsync)) {
            command.append("redis-cli CONFIG SET appendfsync everysec\n");
        }
        String save = window.fact(window.scope(), Facts.REDIS_CONFIG + "save");
        if (save == null || save.isBlank()) {
            command.append("redis-cli CONFIG SET save \"3600 1 300 100 60 10000\"\n");
        }
        command.append("redis-cli CONFIG REWRITE");
        if (severity != Severity.S1 || window.series(Signal.AOF_ENABLED).latest() == 0) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text("Switch persistence on; it takes effect without a restart.", "开启持久化，无需重启即可生效。"),
                    command.toString(),
                    new Text("at most about one second of metadata is lost in a crash", "崩溃最多丢失约 1 秒元数据"),
                    new Text(
                            "one fork and a burst of disk writes now; put the file on a disk other than the cache's",
                            "立即产生一次 fork 和一阵写盘；文件应放在缓存盘以外的磁盘"),
                    verify));
        } else {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Find out why Redis cannot write: free space, permissions and the log.",
                            "查明无法写盘的原因：空间、权限和日志。"),
                    "redis-cli INFO persistence",
                    new Text("writes to disk succeed again", "恢复落盘"),
                    new Text("none", "无"),
                    verify));
        }
        remedies.add(new Remedy(
                Remedy.Kind.DO,
                new Text("Keep a metadata dump off this host.", "在主机外保留元数据备份。"),
                "juicefs dump META-URL meta-backup.json.gz",
                new Text("a volume that can be restored to the time of the dump", "卷可恢复到备份时刻"),
                new Text("reads all metadata once", "会完整读取一次元数据"),
                new Text("the file exists and juicefs load accepts it into an empty engine", "文件存在且能 load 到空引擎")));
        remedies.add(Remedy.doNot(new Text(
                "Do not restart Redis before persistence is on and a snapshot has succeeded.",
                "在开启持久化并成功快照之前不要重启 Redis。")));
        return remedies;
    }
}
