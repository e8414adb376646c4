package dev.onset.timeline;

import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import java.util.ArrayList;
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
        List<Scope> connected = new ArrayList<>(List.of(scope));
        for (ScopeKind kind : List.of(ScopeKind.HOST, ScopeKind.REDIS, ScopeKind.MOUNT, ScopeKind.JOB)) {
            if (kind != scope.kind()) {
                connected.addAll(connected(scope, kind));
            }
        }
        return connected;
    }

    /** The things of a kind that {@code scope} is really connected to; for its own kind itself. */
    List<Scope> connected(Scope scope, ScopeKind kind) {
        if (scope.kind() == kind) {
            return List.of(scope);
        }
        Group group = group(scope.group());
        return switch (kind) {
            case HOST -> hosts(group, scope);
            case MOUNT -> mounts(group, scope);
            case REDIS -> List.copyOf(group.redises);
            case JOB -> group.job ? List.of(Scope.job(scope.group())) : List.of();
            case TARGET -> List.of();
        };
    }

    /** The first of those, without looking at the others. */
    @Nullable
    Scope first(Scope scope, ScopeKind kind) {
        if (scope.kind() == kind) {
            return scope;
        }
        Group group = group(scope.group());
        if (kind == ScopeKind.MOUNT && scope.kind() != ScopeKind.HOST) {
            return group.mounts.isEmpty()
                    ? null
                    : group.mounts.keySet().iterator().next();
        }
        if (kind == ScopeKind.HOST && scope.kind() != ScopeKind.MOUNT) {
            return group.hosts.isEmpty() ? null : group.hosts.iterator().next();
        }
        List<Scope> all = connected(scope, kind);
        return all.isEmpty() ? null : all.get(0);
    }

    /** A group with a single host needs no names that match: the client may call itself something else. */
    private static List<Scope> hosts(Group group, Scope scope) {
        Identity mount = group.mounts.get(scope);
        if (mount == null || group.hosts.size() == 1) {
            return List.copyOf(group.hosts);
        }
        Scope host = mount.host() == null ? null : Scope.host(scope.group(), mount.host());
        return host != null && group.hosts.contains(host) ? List.of(host) : List.of();
    }

    private static List<Scope> mounts(Group group, Scope scope) {
        if (scope.kind() != ScopeKind.HOST) {
            return List.copyOf(group.mounts.keySet());
        }
        List<Scope> here = new ArrayList<>();
        group.mounts.forEach((mount, identity) -> {
            if (scope.id().equals(identity.host())) {
                here.add(mount);
            }
        });
        return here;
    }

    private Group group(String name) {
        return groups.getOrDefault(name, NONE);
    }
}
