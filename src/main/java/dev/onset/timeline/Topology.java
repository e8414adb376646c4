package dev.onset.timeline;

import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who can have caused what: job → hosts → mounts → volume → its Redis. Learnt from the settings' groups and the labels
 * of answers.
 */
public final class Topology {
    /** What belongs to one group: causes are searched only inside it. */
    private static final class Group {
        final Map<Scope, Identity> mounts = new LinkedHashMap<>();
        final Set<Scope> hosts = new LinkedHashSet<>();
        final Set<Scope> redises = new LinkedHashSet<>();
        boolean job;
    }

    private static final Group NONE = new Group();

    private final Map<String, Group> groups = new LinkedHashMap<>();

    void learn(Target target, Identity identity) {
        Group group = groups.computeIfAbsent(identity.scope().group(), name -> new Group());
        switch (identity.scope().kind()) {
            case MOUNT ->
                group.mounts.merge(identity.scope(), identity, (old, now) -> now.version() == null ? old : now);
            case HOST -> group.hosts.add(identity.scope());
            case REDIS -> group.redises.add(identity.scope());
            case JOB -> group.job = true;
            case TARGET -> {}
        }
        if (target.kind() == SourceKind.ACCELERATOR || target.kind() == SourceKind.TRAINER) {
            groups.computeIfAbsent(target.group(), name -> new Group()).job = true;
        }
    }

    void forget(Scope scope) {
        Group group = group(scope.group());
        group.mounts.remove(scope);
        group.hosts.remove(scope);
        group.redises.remove(scope);
    }

    public List<Scope> mounts(String group) {
        return List.copyOf(group(group).mounts.keySet());
    }

    public @Nullable Identity mount(Scope mount) {
        return group(mount.group()).mounts.get(mount);
    }

    /** Everything that {@code scope} is really connected to, itself first. */
    List<Scope> connected(Scope scope) {
        Set<Scope> connected = new LinkedHashSet<>();
        connected.add(scope);
        Group group = group(scope.group());
        if (scope.kind() != ScopeKind.HOST) {
            hosts(group, group.mounts.get(scope), connected);
        }
        connected.addAll(group.redises);
        if (scope.kind() != ScopeKind.MOUNT) {
            group.mounts.forEach((mount, identity) -> {
                if (scope.kind() != ScopeKind.HOST || scope.id().equals(identity.host())) {
                    connected.add(mount);
                }
            });
        }
        if (group.job) {
            connected.add(Scope.job(scope.group()));
        }
        return List.copyOf(connected);
    }

    /** A group with a single host needs no names that match: the client may call itself something else. */
    private static void hosts(Group group, @Nullable Identity mount, Set<Scope> connected) {
        for (Scope host : group.hosts) {
            if (mount == null || host.id().equals(mount.host()) || group.hosts.size() == 1) {
                connected.add(host);
            }
        }
    }

    private Group group(String name) {
        return groups.getOrDefault(name, NONE);
    }
}
