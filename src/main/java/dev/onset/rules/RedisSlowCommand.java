package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Moment;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Series;
import dev.onset.timeline.Statistics;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** One long command holds Redis' only thread for its whole duration; metadata calls wait behind it. */
final class RedisSlowCommand implements Rule {
    private static final double SLOW_SECONDS = 0.010;
    private static final double LONG_SECONDS = 0.200;
    private static final int COINCIDENCES = 3;
    private static final long PAUSE_MILLIS = 30_000;
    private static final double SHARE = 0.30;
    private static final double MEAN_SECONDS = 0.001;
    private static final double OTHERS_STEADY = 2;
    /** Constant-time commands, and the client's own small script: slow only when the thread was not running. */
    private static final Set<String> CONSTANT_TIME = Set.of(
            "GET",
            "SET",
            "HGET",
            "HSET",
            "HSETNX",
            "HEXISTS",
            "HLEN",
            "HINCRBY",
            "INCR",
            "INCRBY",
            "DECRBY",
            "EXISTS",
            "ZADD",
            "ZREM",
            "ZSCORE",
            "ZCARD",
            "SADD",
            "SREM",
            "SCARD",
            "LLEN",
            "RPUSH",
            "LPUSH",
            "PING",
            "INFO",
            "TIME",
            "SELECT",
            "WATCH",
            "UNWATCH",
            "MULTI",
            "EXEC",
            "EXPIRE",
            "PEXPIRE",
            "PEXPIREAT",
            "TTL",
            "TYPE",
            "STRLEN",
            "LATENCY",
            "SLOWLOG",
            "CLIENT",
            "CONFIG",
            "HELLO",
            "AUTH",
            "EVALSHA");
    /** A script behind a digest may be anything; beyond this it is not the client's lookup. */
    private static final double LONG_SCRIPT_SECONDS = 0.100;

    private static final RuleCard CARD = new RuleCard(
            "redis-slow-command",
            new Text("A slow command blocks the metadata Redis", "慢命令阻塞元数据 Redis"),
            ScopeKind.REDIS,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.RTT_MAX));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** A command that was slow, with the slow answer in its second. */
    private record Blocked(Moment command, Moment spike) {}

    /** One Redis, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final RedisMoments moments;
        private final Series rtt;
        private final List<Blocked> blocked = new ArrayList<>();

        Case(Window window) {
            this.window = window;
            moments = new RedisMoments(window);
            rtt = window.series(Signal.RTT_MAX);
        }

        Verdict verdict() {
            List<Moment> slow = moments.slowCommands().stream()
                    .filter(command -> command.seconds() >= SLOW_SECONDS && !victim(command))
                    .toList();
            long victims = moments.slowCommands().stream()
                    .filter(RedisSlowCommand::victim)
                    .count();
            checks.add(
                    new Text("slow-log entries of commands that cannot be slow by themselves", "慢日志中本不会慢的命令"),
                    victims + "",
                    "any: the thread lacked CPU when they ran",
                    true);
            List<Moment> late = window.moments(Moment.Kind.PING, SLOW_SECONDS);
            for (Moment command : slow) {
                RedisMoments.around(command, late).stream()
                        .filter(ping -> !(ping.seconds() > 3 * command.seconds()))
                        .max(Comparator.comparingDouble(Moment::seconds))
                        .filter(ping -> ping.seconds() >= command.seconds() / 3)
                        .ifPresent(ping -> blocked.add(new Blocked(command, ping)));
            }
            boolean longOne = blocked.stream().anyMatch(pair -> pair.command.seconds() >= LONG_SECONDS);
            checks.add(
                    new Text("slow-log entries with a slow answer in their second", "同秒有慢应答的慢日志条目"),
                    blocked.size() + " of " + slow.size(),
                    "≥ " + COINCIDENCES + ", or one of " + Say.duration(LONG_SECONDS),
                    blocked.size() >= COINCIDENCES || longOne);
            boolean logged = (blocked.size() >= COINCIDENCES || longOne) && recent();
            String heavy = heavyCommand();
            if (logged) {
                return new Verdict.Found(finding());
            }
            return heavy.isEmpty() ? checks.quiet() : new Verdict.Found(heavyFinding(heavy));
        }

        private boolean recent() {
            long last = blocked.get(blocked.size() - 1).command.atMillis();
            return window.index(last) >= window.size() - 1 - window.axis().steps(1);
        }

        /** By the command statistics: one command takes 30 % of the time with a mean of a millisecond and more. */
        private String heavyCommand() {
            int now = window.now();
            double all = 0;
            String heaviest = "";
            double most = 0;
            for (String command : window.parts(Signal.COMMAND_SECONDS)) {
                double seconds = window.series(Signal.COMMAND_SECONDS, command).at(now);
                all += Double.isNaN(seconds) ? 0 : seconds;
                if (seconds > most) {
                    most = seconds;
                    heaviest = command;
                }
            }
            if (heaviest.isEmpty()) {
                return "";
            }
            double calls = window.series(Signal.COMMAND_CALLS, heaviest).at(now);
            double mean = calls > 0 ? most / calls : 0;
            boolean heavy =
                    most >= SHARE * all && mean >= MEAN_SECONDS && all >= 0.02 && !othersSlowedDown(heaviest, now);
            boolean felt = rtt.at(now) >= SLOW_SECONDS && rtt.at(now) >= mean;
            checks.add(
                    format(
                            "one command (%1$s) takes the time of Redis and slows answers",
                            "单个命令（%1$s）占用 Redis 并拖慢应答", heaviest),
                    Say.percent(all > 0 ? most / all : 0) + ", " + Say.duration(mean),
                    "≥ 30 %, ≥ 1 ms",
                    heavy && felt);
            boolean before = now > 0
                    && window.series(Signal.COMMAND_SECONDS, heaviest).at(now - 1) >= 0.5 * most
                    && rtt.at(now - 1) >= SLOW_SECONDS;
            return heavy && felt && before ? heaviest : "";
        }

        /** When every command takes longer than it did, the thread lacks CPU and no command is to blame. */
        private boolean othersSlowedDown(String heaviest, int now) {
            double usual = othersMean(heaviest, 0, now - window.axis().steps(2));
            double lately = othersMean(heaviest, now, now + 1);
            boolean slower = lately > OTHERS_STEADY * usual;
            checks.add(
                    new Text("the other commands take as long as before", "其他命令耗时不变"),
                    Say.duration(lately),
                    "≤ " + Say.duration(OTHERS_STEADY * usual),
                    !slower);
            return slower;
        }

        private double othersMean(String heaviest, int from, int to) {
            double seconds = 0;
            double calls = 0;
            for (String command : window.parts(Signal.COMMAND_SECONDS)) {
                double mean = window.series(Signal.COMMAND_SECONDS, command).mean(from, to);
                double rate = window.series(Signal.COMMAND_CALLS, command).mean(from, to);
                if (!command.equals(heaviest) && !Double.isNaN(mean) && !Double.isNaN(rate)) {
                    seconds += mean;
                    calls += rate;
                }
            }
            return calls > 0 ? seconds / calls : Double.NaN;
        }

        private Finding finding() {
            Moment first = RedisMoments.episodeStart(
                    blocked.stream().map(Blocked::command).toList(), PAUSE_MILLIS);
            Blocked worst = blocked.stream()
                    .max(Comparator.comparingDouble(pair -> pair.command.seconds()))
                    .orElseThrow();
            String command = mostFrequent();
            Blocked opening = blocked.stream()
                    .filter(pair -> pair.command.equals(first))
                    .findFirst()
                    .orElse(worst);
            List<Onset> onsets = new ArrayList<>();
            onsets.add(new Onset(
                    window.scope(),
                    Signal.COMMAND_SECONDS,
                    kind(command),
                    opening.command.atMillis() - opening.command.precisionMillis(),
                    opening.command.atMillis() + opening.command.precisionMillis()));
            onsets.add(new Onset(
                    window.scope(),
                    Signal.RTT_MAX,
                    "",
                    opening.spike.atMillis(),
                    opening.spike.atMillis() + Math.round(orFive(opening.spike.seconds()) * 1e3)));
            onsets.sort(Comparator.comparingLong(Onset::toMillis));
            List<Moment> commands = blocked.stream().map(Blocked::command).toList();
            double chance = Statistics.binomialTail(moments.spikes().size(), blocked.size(), moments.covered(commands));
            int episodes = RedisMoments.episodes(commands, PAUSE_MILLIS);
            Confidence confidence = episodes >= 3 && chance < 0.05 ? Confidence.CONFIRMED : Confidence.LIKELY;
            return build(
                    command,
                    worst.command.seconds(),
                    confidence,
                    format(
                            "%1$d slow-log entries have a slow answer in their second.",
                            "%1$d 条慢日志与慢应答同秒。", blocked.size()),
                    onsets,
                    new Repetition(
                            moments.slowCommands().size(),
                            moments.spikes().size(),
                            blocked.size(),
                            0,
                            0,
                            0,
                            chance,
                            false));
        }

        private Finding heavyFinding(String command) {
            int now = window.now();
            double calls = window.series(Signal.COMMAND_CALLS, command).at(now);
            double seconds = window.series(Signal.COMMAND_SECONDS, command).at(now);
            Onset together = new Onset(
                    window.scope(),
                    Signal.COMMAND_SECONDS,
                    command,
                    window.startMillis(now - 1),
                    window.startMillis(now));
            Onset late =
                    new Onset(window.scope(), Signal.RTT_MAX, "", window.startMillis(now - 1), window.startMillis(now));
            return build(
                    command,
                    seconds / calls,
                    Confidence.LIKELY,
                    format(
                            "It takes %1$s of a core at %2$s calls a second.",
                            "它以每秒 %2$s 次占用 %1$s 个核。", Say.percent(seconds), Say.number(calls)),
                    List.of(together, late),
                    null);
        }

        private Finding build(
                String command,
                double seconds,
                Confidence confidence,
                Text detail,
                List<Onset> onsets,
                @org.jspecify.annotations.Nullable Repetition repetition) {
            boolean foreign = foreign(command);
            int from = Math.max(0, window.size() - window.axis().steps(20));
            return new Finding(
                    Severity.S3,
                    confidence,
                    confidence == Confidence.CONFIRMED
                            ? Text.same("")
                            : new Text("Seen in fewer than three bursts.", "少于三轮。"),
                    format(
                            foreign
                                    ? "A command that is not JuiceFS' own (%1$s) holds Redis for up to %2$s; every metadata call"
                                            + " waits behind it."
                                    : "%1$s holds Redis for up to %2$s; every metadata call waits behind it.",
                            foreign
                                    ? "非 JuiceFS 的命令（%1$s）占住 Redis 最长 %2$s，元数据调用都排在它后面。"
                                    : "%1$s 占住 Redis 最长 %2$s，元数据调用都排在它后面。",
                            command,
                            Say.duration(seconds)),
                    detail,
                    onsets,
                    repetition,
                    List.of(
                            Evidence.rise(rtt, from, window.size()),
                            Evidence.rise(window.series(Signal.META_LATENCY), from, window.size()),
                            Evidence.rise(window.series(Signal.REDIS_CPU), from, window.size()),
                            Evidence.rise(window.series(Signal.REDIS_OPS), from, window.size())),
                    List.of(new Reason(
                            new Text("an overloaded Redis", "Redis 过载"),
                            format(
                                    "%1$s commands a second",
                                    "每秒 %1$s 个命令",
                                    Say.number(window.series(Signal.REDIS_OPS).latest())))),
                    moments.latencyMonitored() ? List.of() : List.of(RedisExpirySpike.latencyMonitorOff(window)),
                    subCauses(command),
                    remedies(command, foreign),
                    List.of(),
                    checks.all());
        }

        private String mostFrequent() {
            Map<String, Integer> counts = new HashMap<>();
            blocked.forEach(pair -> counts.merge(pair.command.name(), 1, Integer::sum));
            return counts.entrySet().stream()
                    .max(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                    .map(Map.Entry::getKey)
                    .orElse("");
        }

        private static double orFive(double seconds) {
            return Double.isNaN(seconds) ? 5 : seconds;
        }
    }

    /** Slow because the thread did not run, not because of what it does: it tells of a lack of CPU. */
    private static boolean victim(Moment command) {
        String kind = kind(command.name());
        boolean script = kind.equals("EVALSHA") && command.seconds() >= LONG_SCRIPT_SECONDS;
        return CONSTANT_TIME.contains(kind) && !script;
    }

    private static String kind(String command) {
        int space = command.indexOf(' ');
        return (space < 0 ? command : command.substring(0, space)).toUpperCase(Locale.ROOT);
    }

    /** JuiceFS uses few commands, each on keys of a known shape. */
    private static boolean foreign(String command) {
        String text = command.strip();
        return !(text.matches("(?i)LRANGE \\S*c\\d+_\\d+.*")
                || text.matches("(?i)(HGETALL|HSCAN|HLEN|HVALS) \\S*d\\d+.*")
                || text.matches("(?i)(ZRANGEBYSCORE|ZRANGE) \\S*(delfiles|allSessions|detached).*")
                || text.matches("(?i)(EVALSHA|EVAL|SMEMBERS|MULTI|EXEC|GET|MGET|HGET|SCAN)(\\s.*)?"));
    }

    private static List<String> subCauses(String command) {
        if (command.matches("(?i)LRANGE \\S*c\\d+_.*")) {
            return List.of("slice-fragmentation");
        }
        return command.matches("(?i)ZRANGEBYSCORE \\S*delfiles.*") ? List.of("trash-and-deleted-backlog") : List.of();
    }

    private static List<Remedy> remedies(String command, boolean foreign) {
        Text verify = new Text("no slow-log entry of 10 ms and more for an hour", "一小时内慢日志无 10 ms 以上条目");
        List<Remedy> remedies = new ArrayList<>();
        if (kind(command).equals("KEYS")) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "In the application that sends it: use SCAN with a large COUNT instead of KEYS.",
                            "在发出该命令的应用里用带较大 COUNT 的 SCAN 代替 KEYS。"),
                    "",
                    new Text("the same answer in slices of well under 1 ms", "同样结果，但每片远低于 1 ms"),
                    new Text("a change in the other application", "需要修改对方应用"),
                    verify));
        }
        if (foreign) {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Give the other application a Redis of its own; until then find it by its client address.",
                            "给对方应用独立的 Redis；在此之前按客户端地址找到它。"),
                    "redis-cli SLOWLOG GET 10",
                    new Text("metadata calls no longer wait behind it", "元数据调用不再排队"),
                    new Text("none for JuiceFS", "对 JuiceFS 无影响"),
                    verify));
        } else {
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "Split directories with more than 100,000 entries, or run the scanning job off-peak.",
                            "拆分超过 10 万项的目录，或把扫描任务移到低峰。"),
                    "redis-cli SLOWLOG GET 10",
                    new Text("shorter commands in the same number", "命令数不变但更短"),
                    new Text("paths of the job change", "作业路径会变化"),
                    verify));
        }
        remedies.add(Remedy.doNot(new Text(
                "Do not alert on total_error_replies: lookups of missing names count as errors.",
                "不要对 total_error_replies 告警：查找不存在的文件名也计入错误。")));
        return remedies;
    }
}
