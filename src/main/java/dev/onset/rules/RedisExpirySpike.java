package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Facts;
import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.Change;
import dev.onset.timeline.Series;
import dev.onset.timeline.Statistics;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Many keys of another tenant fall due together; the expire cycle holds Redis' only thread and metadata calls wait. */
final class RedisExpirySpike implements Rule {
    private static final double EVENT_SECONDS = 0.020;
    private static final double EXPIRED_FLOOR = 500;
    private static final double CAPPED_IN_A_STEP = 3;
    private static final int COINCIDENCES = 3;
    private static final double LARGEST_WITHOUT_BIG_EVENT = 0.100;
    private static final double BIG_EVENT = 0.050;
    private static final double MOST_OF_EVENT = 3;
    private static final double CHANCE = 0.05;
    private static final long PAUSE_MILLIS = 30_000;
    /** Bursts that follow each other within this many steps of 15 s are one story, which began with the first. */
    private static final int SAME_STORY = 40;

    private static final RuleCard CARD = new RuleCard(
            "redis-expiry-spike",
            new Text("Expiring keys stall the metadata Redis", "过期键清理卡住元数据 Redis"),
            ScopeKind.REDIS,
            Severity.S3,
            RuleCard.Family.METADATA,
            List.of(Signal.EXPIRED_KEYS, Signal.RTT_MAX));

    @Override
    public RuleCard card() {
        return CARD;
    }

    @Override
    public Verdict judge(Window window) {
        return new Case(window).verdict();
    }

    /** One Redis, judged once. */
    private static final class Case {
        private final Window window;
        private final Checks checks = new Checks();
        private final RedisMoments moments;
        private final List<Moment> expiry;
        private final Series expired;
        private final Series rtt;
        private final List<Moment> coincidences = new ArrayList<>();
        private int tooSmall;
        private int otherCause;

        Case(Window window) {
            this.window = window;
            moments = new RedisMoments(window);
            expiry = moments.events(name -> name.equals("expire-cycle") || name.equals("expire-del"), EVENT_SECONDS);
            expired = window.series(Signal.EXPIRED_KEYS);
            rtt = window.series(Signal.RTT_MAX);
        }

        Verdict verdict() {
            double expires = window.series(Signal.KEYS_WITH_TTL).max(0, window.size());
            if (!checks.add(
                    new Text("some keys have a TTL (JuiceFS sets none)", "存在带 TTL 的键（JuiceFS 自身不设）"),
                    Say.number(expires),
                    "> 0",
                    expires > 0)) {
                return checks.quiet();
            }
            moments.spikes().forEach(this::sort);
            int coincided = coincidences.size();
            checks.add(
                    new Text("slow answers in the second of an expire cycle", "慢应答与过期清理发生在同一秒"),
                    coincided + "",
                    "≥ " + COINCIDENCES,
                    coincided >= COINCIDENCES);
            checks.add(
                    new Text("they are the rule among slow answers", "占慢应答的多数"),
                    coincided + " of " + open(),
                    "≥ 1/2",
                    2 * coincided >= open());
            checks.add(
                    new Text("no slow answer is larger than the cycle explains", "慢应答不超过清理周期可解释的范围"),
                    tooSmall + "",
                    "≤ " + coincided / 4,
                    tooSmall <= coincided / 4);
            boolean holds = coincided >= COINCIDENCES && 2 * coincided >= open() && tooSmall <= coincided / 4;
            return holds && recent() ? new Verdict.Found(finding()) : checks.quiet();
        }

        /** Slow answers that nothing else explains. */
        private int open() {
            return moments.spikes().size() - otherCause;
        }

        private boolean recent() {
            int step = window.index(RedisMoments.last(coincidences).atMillis());
            return step >= window.size() - 1 - window.axis().steps(1);
        }

        /** Does expiry explain this slow answer, and nothing else better? */
        private void sort(Moment spike) {
            if (explainedOtherwise(spike)) {
                otherCause++;
                return;
            }
            List<Moment> near = RedisMoments.around(spike, expiry);
            double event = near.stream().mapToDouble(Moment::seconds).max().orElse(Double.NaN);
            boolean large = near.stream().anyMatch(moment -> moment.name().equals("expire-del"));
            if (near.isEmpty() ? !cappedStep(spike) : !large && !manyExpire(spike)) {
                return;
            }
            boolean explained = near.isEmpty()
                    ? spikeSeconds(spike) <= LARGEST_WITHOUT_BIG_EVENT
                    : spikeSeconds(spike) <= MOST_OF_EVENT * event
                            && (spikeSeconds(spike) <= LARGEST_WITHOUT_BIG_EVENT || event >= BIG_EVENT);
            if (explained) {
                coincidences.add(spike);
            } else {
                tooSmall++;
            }
        }

        /** A fork, AOF, eviction or command of at least half its size in its second: not an expiry's doing or undoing. */
        private boolean explainedOtherwise(Moment spike) {
            double half = spikeSeconds(spike) / 2;
            List<Moment> events = moments.events(
                    name -> name.equals("fork")
                            || name.startsWith("aof-")
                            || name.equals("eviction-cycle")
                            || name.equals("command"),
                    half);
            List<Moment> commands = moments.slowCommands().stream()
                    .filter(command -> command.seconds() >= half)
                    .toList();
            return !RedisMoments.around(spike, events).isEmpty()
                    || !RedisMoments.around(spike, commands).isEmpty();
        }

        private static double spikeSeconds(Moment spike) {
            return Double.isNaN(spike.seconds()) ? 5 : spike.seconds();
        }

        /** A cycle that deletes few keys is long only because its thread did not run. */
        private boolean manyExpire(Moment spike) {
            int i = window.index(spike.atMillis());
            double seconds = window.axis().stepMillis() / 1e3;
            double capped = window.series(Signal.EXPIRE_CAPPED).max(i, i + 3) * seconds;
            return expired.max(i, i + 3) >= EXPIRED_FLOOR * window.floorScale() || capped >= CAPPED_IN_A_STEP;
        }

        /** Without Redis' own events: the cycle hit its time limit at least three times in that step. */
        private boolean cappedStep(Moment spike) {
            if (moments.latencyMonitored()) {
                return false;
            }
            int i = window.index(spike.atMillis());
            Series capped = window.series(Signal.EXPIRE_CAPPED);
            double seconds = window.axis().stepMillis() / 1e3;
            return capped.max(i, i + 2) * seconds >= CAPPED_IN_A_STEP
                    && expired.max(i, i + 2) >= EXPIRED_FLOOR * window.floorScale();
        }

        private Finding finding() {
            Moment first = RedisMoments.episodeStart(coincidences, window.axis().millis(SAME_STORY));
            int burst = window.index(
                    RedisMoments.episodeStart(coincidences, PAUSE_MILLIS).atMillis());
            Moment last = RedisMoments.last(coincidences);
            int start = Math.max(0, window.index(first.atMillis()) - 1);
            int end = Math.min(window.size(), window.index(last.atMillis()) + 2);
            double worst =
                    coincidences.stream().mapToDouble(Case::spikeSeconds).max().orElse(Double.NaN);
            int episodes = RedisMoments.episodes(coincidences, PAUSE_MILLIS);
            double chance = Statistics.binomialTail(
                    moments.spikes().size(), coincidences.size(), expiry.isEmpty() ? 1 : moments.covered(expiry));
            boolean monitored = moments.latencyMonitored();
            Confidence confidence = monitored && episodes >= 3 && chance < CHANCE && !periodic()
                    ? Confidence.CONFIRMED
                    : Confidence.LIKELY;
            List<Change> drops = UtilisationDrops.in(window).stream()
                    .filter(drop -> drop.end() >= burst - 1 && drop.start() <= end)
                    .toList();
            Repetition repetition = new Repetition(
                    RedisMoments.episodes(expiry, PAUSE_MILLIS),
                    open(),
                    coincidences.size(),
                    0,
                    0,
                    0,
                    chance,
                    periodic());
            return new Finding(
                    drops.isEmpty() ? Severity.S3 : Severity.S2,
                    confidence,
                    whyNotSurer(confidence, episodes, monitored),
                    format(
                            "Redis answered up to %1$s late while %2$s keys a second expired; metadata calls waited, %3$s.",
                            "每秒 %2$s 个键过期期间，Redis 应答最多延迟 %1$s，元数据调用随之等待，%3$s。",
                            Say.duration(worst),
                            Say.number(expired.max(start, end)),
                            drops.isEmpty() ? "utilisation did not fall" : "and utilisation fell"),
                    format(
                            "%1$d of %2$d slow answers fell into the second of an expire cycle, in %3$d burst%4$s.",
                            "%2$d 次慢应答中 %1$d 次与过期清理同秒，共 %3$d 轮。",
                            coincidences.size(),
                            open(),
                            episodes,
                            episodes == 1 ? "" : "s"),
                    onsets(first),
                    repetition,
                    lanes(start, end),
                    ruledOut(),
                    unknown(monitored),
                    List.of(),
                    remedies(),
                    drops.stream().map(drop -> Sentences.loss(window, drop)).toList(),
                    checks.all());
        }

        private boolean periodic() {
            List<Long> starts = new ArrayList<>();
            for (int i = 0; i < coincidences.size(); i++) {
                long at = coincidences.get(i).atMillis();
                if (i == 0 || at - coincidences.get(i - 1).atMillis() > PAUSE_MILLIS) {
                    starts.add(at);
                }
            }
            if (starts.size() < 3) {
                return false;
            }
            long least = Long.MAX_VALUE;
            long most = 0;
            for (int i = 1; i < starts.size(); i++) {
                least = Math.min(least, starts.get(i) - starts.get(i - 1));
                most = Math.max(most, starts.get(i) - starts.get(i - 1));
            }
            return most - least <= 2 * window.axis().stepMillis();
        }

        private Text whyNotSurer(Confidence confidence, int episodes, boolean monitored) {
            if (confidence == Confidence.CONFIRMED) {
                return Text.same("");
            }
            if (!monitored) {
                return new Text(
                        "Redis' latency monitor is off, so its own events cannot be compared.",
                        "Redis 延迟监控未开启，无法与其自身事件对照。");
            }
            return episodes < 3
                    ? format("Seen in %1$d of the 3 bursts that rule out chance.", "目前 %1$d 轮，排除偶然需要 3 轮。", episodes)
                    : new Text(
                            "The bursts repeat with one period, so they count as one coincidence.", "各轮周期相同，只算一次巧合。");
        }

        /** On Redis' own clock: the first cycle of the burst, then the first slow answer. */
        private List<Onset> onsets(Moment firstSpike) {
            List<Onset> onsets = new ArrayList<>();
            Scope redis = window.scope();
            List<Moment> burst = expiry.stream()
                    .filter(event -> Math.abs(event.atMillis() - firstSpike.atMillis()) <= PAUSE_MILLIS)
                    .toList();
            if (!burst.isEmpty()) {
                Moment cycle = RedisMoments.episodeStart(
                        burst.stream()
                                        .filter(event -> event.atMillis() <= firstSpike.atMillis() + 2_000)
                                        .toList()
                                        .isEmpty()
                                ? burst
                                : burst.stream()
                                        .filter(event -> event.atMillis() <= firstSpike.atMillis() + 2_000)
                                        .toList(),
                        PAUSE_MILLIS);
                onsets.add(new Onset(
                        redis,
                        Signal.EXPIRED_KEYS,
                        "",
                        cycle.atMillis() - cycle.precisionMillis(),
                        cycle.atMillis() + cycle.precisionMillis()));
            } else {
                int i = Math.max(0, window.index(firstSpike.atMillis()));
                onsets.add(new Onset(
                        redis,
                        Signal.EXPIRED_KEYS,
                        "",
                        window.startMillis(i),
                        window.startMillis(i) + window.axis().stepMillis()));
            }
            long answered = firstSpike.atMillis() + Math.round(spikeSeconds(firstSpike) * 1e3);
            onsets.add(new Onset(redis, Signal.RTT_MAX, "", firstSpike.atMillis(), answered));
            onsets.sort(Comparator.comparingLong(Onset::toMillis));
            return onsets;
        }

        private List<Lane> lanes(int start, int end) {
            List<Lane> lanes = new ArrayList<>();
            lanes.add(Evidence.rise(rtt, start, end));
            lanes.add(Evidence.rise(expired, start, end));
            lanes.add(Evidence.rise(window.series(Signal.EXPIRE_CAPPED), start, end));
            lanes.add(Evidence.rise(window.series(Signal.META_LATENCY), start, end));
            lanes.add(Evidence.rise(window.series(Signal.REDIS_CPU), start, end));
            if (window.series(Signal.UTILISATION).known()) {
                lanes.add(Evidence.fall(window.series(Signal.UTILISATION), start, end));
            }
            return lanes;
        }

        private List<Reason> ruledOut() {
            List<Reason> ruledOut = new ArrayList<>();
            ruledOut.add(new Reason(
                    new Text("fork, AOF, eviction or a slow command", "fork、AOF、淘汰或慢命令"),
                    format(
                            "%1$d of %2$d slow answers have such an event in their second",
                            "%2$d 次慢应答中 %1$d 次同秒有此类事件",
                            otherCause,
                            moments.spikes().size())));
            ruledOut.add(new Reason(
                    new Text("slow commands", "慢命令"),
                    format(
                            "%1$d entries in the slow log for the window",
                            "窗口内慢日志 %1$d 条", moments.slowCommands().size())));
            return ruledOut;
        }

        private List<Reason> unknown(boolean monitored) {
            List<Reason> unknown = new ArrayList<>();
            if (!monitored) {
                unknown.add(latencyMonitorOff(window));
            }
            if (!window.series(Signal.META_LATENCY).known()) {
                unknown.add(new Reason(
                        new Text("how long JuiceFS' metadata calls took", "JuiceFS 元数据调用耗时"),
                        new Text("no JuiceFS mount is scraped in this group", "该组没有采集 JuiceFS 挂载点")));
            }
            return unknown;
        }

        private List<Remedy> remedies() {
            Text verify = new Text(
                    "expired_time_cap_reached_count stops growing and round trips stay under 5 ms for an hour",
                    "expired_time_cap_reached_count 不再增长，一小时内往返低于 5 ms");
            List<Remedy> remedies = new ArrayList<>();
            Scope redis = window.scope();
            boolean deletions = expiry.stream().anyMatch(event -> event.name().equals("expire-del"));
            String lazy = window.fact(redis, Facts.REDIS_CONFIG + "lazyfree-lazy-expire");
            if (deletions && !"yes".equals(lazy)) {
                double largest = expiry.stream()
                        .filter(event -> event.name().equals("expire-del"))
                        .mapToDouble(Moment::seconds)
                        .max()
                        .orElse(Double.NaN);
                remedies.add(new Remedy(
                        Remedy.Kind.DO,
                        new Text("Free large expired keys in the background.", "后台释放过期的大键。"),
                        "redis-cli CONFIG SET lazyfree-lazy-expire yes\nredis-cli CONFIG REWRITE",
                        format(
                                "stalls of up to %1$s from one deletion go; the cycle itself still takes up to 25 ms",
                                "单次删除造成的最长 %1$s 停顿消失；清理周期本身仍最多 25 ms", Say.duration(largest)),
                        new Text("a background thread frees the memory a little later", "内存由后台线程稍后释放"),
                        verify));
            }
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    new Text(
                            "In the application that owns the keys: spread their deadlines by adding a random part.",
                            "在写入这些键的应用里给 TTL 加随机抖动。"),
                    "",
                    new Text("the same deletions, spread over minutes", "同样的删除量分摊到数分钟"),
                    new Text("none for JuiceFS", "对 JuiceFS 无影响"),
                    verify));
            remedies.add(new Remedy(
                    Remedy.Kind.DO,
                    format(
                            "Move the other tenant (%1$s) to a Redis of its own: metadata needs a dedicated one.",
                            "把其他租户（%1$s）迁到独立 Redis：元数据应独占。", tenants()),
                    "",
                    new Text("no key with a TTL is left, so there is nothing to expire", "不再有带 TTL 的键，自然没有过期清理"),
                    new Text("a migration of the other application", "需要迁移对方应用"),
                    verify));
            remedies.add(Remedy.doNot(new Text(
                    "Do not raise active-expire-effort, and do not try to switch expiry off: keys would pile up until writes"
                            + " are refused.",
                    "不要调高 active-expire-effort，也不要试图关闭过期：键会堆积到拒绝写入。")));
            return remedies;
        }

        /** The databases whose keys have deadlines: never the one JuiceFS uses. */
        private String tenants() {
            StringBuilder names = new StringBuilder();
            for (Map.Entry<String, String> db :
                    window.facts(window.scope(), Facts.REDIS_INFO + "db").entrySet()) {
                if (db.getKey().matches("\\d{1,5}") && !db.getValue().contains("expires=0") && names.length() < 60) {
                    names.append(names.isEmpty() ? "db" : ", db").append(db.getKey());
                }
            }
            return names.isEmpty() ? "keys with a TTL" : names.toString();
        }
    }

    /** Nobody switched the latency monitor on: no data, not "no spikes". */
    static Reason latencyMonitorOff(Window window) {
        String threshold = window.fact(window.scope(), Facts.REDIS_CONFIG + "latency-monitor-threshold");
        return new Reason(
                new Text("Redis' own latency events", "Redis 自身的延迟事件"),
                threshold == null
                        ? new Text(
                                "CONFIG is refused to us, so it is not known whether the latency monitor is on",
                                "CONFIG 被拒绝，无法得知延迟监控是否开启")
                        : new Text(
                                "the latency monitor is off: redis-cli CONFIG SET latency-monitor-threshold 10",
                                "延迟监控未开启：redis-cli CONFIG SET latency-monitor-threshold 10"));
    }
}
