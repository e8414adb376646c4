package dev.onset.rules;

import dev.onset.signals.Scope;
import dev.onset.timeline.Timeline;
import dev.onset.timeline.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every rule, and one judgement of each over everything that it is about. */
public final class RuleBook {
    static final List<Rule> RULES = List.of(
            new CacheMissBeforeUtilisationDrop(),
            new WritebackReadCollision(),
            new RedisExpirySpike(),
            new RedisDurabilityUnsafe(),
            new RedisEvictionUnsafe(),
            new RedisMemoryHeadroom(),
            new RedisSlowCommand(),
            new ObjectStoreLatency(),
            new ObjectStoreThrottlingErrors(),
            new CheckpointWriteStall(),
            new StagingBacklogDataRisk(),
            new ClientIoErrors(),
            new MountHang(),
            new InputPipelineNotStorage(),
            new TelemetryGapOrSkew());

    public List<RuleCard> cards() {
        return RULES.stream().map(Rule::card).toList();
    }

    /** All rules over all scopes at the last closed step. */
    public List<Judgement> judge(Timeline timeline) {
        Map<Scope, Window> windows = new HashMap<>();
        List<Judgement> judgements = new ArrayList<>();
        for (Rule rule : RULES) {
            for (Scope scope : timeline.scopes(rule.card().scope())) {
                Window window = windows.computeIfAbsent(scope, timeline::window);
                judgements.add(new Judgement(rule.card(), scope, rule.judge(window)));
            }
        }
        return judgements;
    }
}
