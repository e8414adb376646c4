package dev.onset.signals;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/**
 * One thing that signals are about.
 *
 * @param kind what sort of thing
 * @param group the group of targets it belongs to (a training job and everything it reads through); causes are searched
 *     only inside a group
 * @param id unique among the things of this kind in this group, fit for a reader: {@code imagenet on gpu-07 at /mnt/jfs}
 */
public record Scope(ScopeKind kind, String group, String id) {
    public Scope {
        requireNonNull(kind, "kind");
        requireNonNull(group, "group");
        requireNonNull(id, "id");
    }

    public static Scope mount(String group, String volume, String host, String mountPoint) {
        return new Scope(ScopeKind.MOUNT, group, volume + " on " + host + " at " + mountPoint);
    }

    public static Scope host(String group, String host) {
        return new Scope(ScopeKind.HOST, group, host);
    }

    public static Scope redis(String group, String address) {
        return new Scope(ScopeKind.REDIS, group, address);
    }

    /** The job of a group: a group has exactly one. */
    public static Scope job(String group) {
        return new Scope(ScopeKind.JOB, group, group);
    }

    public static Scope target(Target target) {
        return new Scope(
                ScopeKind.TARGET,
                target.group(),
                target.kind().name().toLowerCase(Locale.ROOT) + " " + target.address());
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + id;
    }
}
