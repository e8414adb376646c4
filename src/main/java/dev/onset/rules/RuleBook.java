package dev.onset.rules;

import dev.onset.signals.Bound;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Every rule, and one judgement of each over everything that it is about. */
public final class RuleBook {
    static final List<Rule> RULES = List.of(
            new CacheMissBeforeUtilisationDrop(),
            new WritebackReadCollision(),
            new RedisExpirySpike(),
            new RedisDurabilityUnsafe(),
            new RedisEvictionUnsafe(),
            new RedisMemoryHeadroom(),
            new RedisCpuContention(),
            new RedisPersistenceStall(),
            new RedisSlowCommand(),
            new TransactionConflicts(),
            new MetadataPathLatency(),
            new MetadataOpStorm(),
            new ObjectStoreLatency(),
            new ObjectStoreThrottlingErrors(),
            new CacheCapacityThrash(),
            new CacheDiskSlow(),
            new CacheFillDrops(),
            new CacheDiskSpacePressure(),
            new CachePollutedByImport(),
            new ReadAmplification(),
            new SmallIoPattern(),
            new CheckpointWriteStall(),
            new UploadConcurrencyLimited(),
            new BandwidthCapPlateau(),
            new BufferSaturation(),
            new SliceFragmentation(),
            new StagingBacklogDataRisk(),
            new VolumeCapacity(),
            new ClientIoErrors(),
            new FileAndConnectionLimits(),
            new ClientCpuSaturated(),
            new ClientMemoryGrowth(),
            new MountHang(),
            new NetworkSaturation(),
            new DirtyWritebackBurst(),
            new PageCachePressure(),
            new CpuFrequencyScaling(),
            new InputPipelineNotStorage(),
            new ScrapeOverhead(),
            new TelemetryGapOrSkew());

    private static final Verdict QUIET = new Verdict.Quiet(List.of());

    /** Below this, starting a second thread costs more than it saves. */
    private static final int FEW = 64;

    public List<RuleCard> cards() {
        return RULES.stream().map(Rule::card).toList();
    }

    /** Every bound of every rule. */
    public static List<Bound> bounds() {
        return RULES.stream().flatMap(rule -> rule.bounds().stream()).toList();
    }

    /** All rules over all scopes at the last closed step; rule by rule, as listed. Who is quiet does not say why. */
    public List<Judgement> judge(Timeline timeline) {
        Verdict[][][] verdicts = Arrays.stream(ScopeKind.values())
                .map(kind -> judge(timeline, kind))
                .toArray(Verdict[][][]::new);
        List<Judgement> judgements = new ArrayList<>();
        for (int r = 0; r < RULES.size(); r++) {
            RuleCard card = RULES.get(r).card();
            List<Scope> scopes = timeline.scopes(card.scope());
            for (int s = 0; s < scopes.size(); s++) {
                judgements.add(
                        new Judgement(card, scopes.get(s), verdicts[card.scope().ordinal()][s][r]));
            }
        }
        return judgements;
    }

    /** The rules of one scope over one window, which may have ended long ago. */
    public static List<Judgement> judge(Window window) {
        Scope scope = window.scope();
        return RULES.stream()
                .filter(rule -> rule.card().scope() == scope.kind())
                .map(rule -> new Judgement(rule.card(), scope, judge(rule, window)))
                .toList();
    }

    /** By scope and rule. Rules have no memory and windows are only read, so scopes are judged side by side. */
    private static Verdict[][] judge(Timeline timeline, ScopeKind kind) {
        List<Scope> scopes = timeline.scopes(kind);
        Verdict[][] verdicts = new Verdict[scopes.size()][];
        IntStream each = IntStream.range(0, scopes.size());
        (scopes.size() < FEW ? each : each.parallel())
                .forEach(s -> verdicts[s] = judge(timeline.window(scopes.get(s)), kind));
        return verdicts;
    }

    /** Of hundreds of thousands of silent rules nobody reads the conditions; whoever does judges that window anew. */
    private static Verdict inShort(Verdict verdict) {
        return verdict instanceof Verdict.Quiet ? QUIET : verdict;
    }

    /** A rule is asked only where what it needs is there; elsewhere what is missing is the answer. */
    static Verdict judge(Rule rule, Window window) {
        return Inputs.missing(window, rule.card())
                .<Verdict>map(Verdict.Unsure::new)
                .orElseGet(() -> rule.judge(window));
    }

    private static Verdict[] judge(Window window, ScopeKind kind) {
        Verdict[] verdicts = new Verdict[RULES.size()];
        for (int r = 0; r < verdicts.length; r++) {
            Rule rule = RULES.get(r);
            if (rule.card().scope() == kind) {
                verdicts[r] = inShort(judge(rule, window));
            }
        }
        return verdicts;
    }
}
