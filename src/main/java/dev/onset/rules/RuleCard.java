package dev.onset.rules;

import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import java.util.List;

/**
 * What a rule is about.
 *
 * @param id its name in the catalogue, the API and {@code docs/rules}
 * @param title what it sees, a few words
 * @param scope the kind of thing that it judges; the engine makes one window per scope
 * @param severity the usual one
 * @param family how it takes part when several rules explain one event
 * @param needs signals without which it cannot judge
 */
public record RuleCard(String id, Text title, ScopeKind scope, Severity severity, Family family, List<Signal> needs) {
    /** The part of the system that a rule blames. */
    public enum Family {
        /** Names a cause on the data path: storage, cache, writeback. */
        STORAGE,
        /** Names a cause in the metadata engine. */
        METADATA,
        /** Data at risk: always shown, never merged or suppressed. */
        SAFETY,
        /** About the volume, whichever of its mounts tells it: always shown, once for all mounts of a group. */
        VOLUME,
        /** Says that the storage is innocent: withdrawn as soon as a storage rule is likely. */
        TRAINING,
        /** About the watching itself. */
        WATCHING
    }

    public RuleCard {
        needs = List.copyOf(needs);
    }
}
