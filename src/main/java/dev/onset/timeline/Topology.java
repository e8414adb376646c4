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
    private final Map<Scope, Identity> mounts = new LinkedHashMap<>();
    private final Set<Scope> hosts = new LinkedHashSet<>();
    private final Set<Scope> redises = new LinkedHashSet<>();
    private final Set<String> jobs = new LinkedHashSet<>();

    void learn(Target target, Identity identity) {
        switch (identity.scope().kind()) {
            case MOUNT -> mounts.merge(identity.scope(), identity, (old, now) -> now.version() == null ? old : now);
            case HOST -> hosts.add(identity.scope());
            case REDIS -> redises.add(identity.scope());
            case JOB -> jobs.add(target.group());
            case TARGET -> {}
        }
        if (target.kind() == SourceKind.ACCELERATOR || target.kind() == SourceKind.TRAINER) {
            jobs.add(target.group());
        }
    }

    void forget(Scope scope) {
        mounts.remove(scope);
        hosts.remove(scope);
        redises.remove(scope);
    }

    public List<Scope> mounts(String group) {
        return mounts.keySet().stream()
                .filter(mount -> mount.group().equals(group))
                .toList();
    }

    public @Nullable Identity mount(Scope mount) {
        return mounts.get(mount);
    }

    public List<String> volumes() {
        return mounts.values().stream()
                .map(Identity::volume)
                .distinct()
                .map(String::valueOf)
                .toList();
    }

    /** Everything that {@code scope} is really connected to, itself first. */
    List<Scope> connected(Scope scope) {
        Set<Scope> connected = new LinkedHashSet<>();
        connected.add(scope);
        String group = scope.group();
        Identity mount = mounts.get(scope);
        for (Scope host : hosts) {
            boolean same = mount == null || host.id().equals(mount.host()) || only(hosts, group);
            if (host.group().equals(group) && same && scope.kind() != ScopeKind.HOST) {
                connected.add(host);
            }
        }
        redises.stream().filter(redis -> redis.group().equals(group)).forEach(connected::add);
        if (scope.kind() != ScopeKind.MOUNT) {
            for (Map.Entry<Scope, Identity> other : mounts.entrySet()) {
                boolean here = scope.kind() != ScopeKind.HOST
                        || scope.id().equals(other.getValue().host());
                if (other.getKey().group().equals(group) && here) {
                    connected.add(other.getKey());
                }
            }
        }
        if (jobs.contains(group)) {
            connected.add(Scope.job(group));
        }
        return List.copyOf(connected);
    }

    /** A group with a single host needs no names that match: the client may call itself something else. */
    private static boolean only(Set<Scope> scopes, String group) {
        return scopes.stream().filter(scope -> scope.group().equals(group)).count() == 1;
    }
}
