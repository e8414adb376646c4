package dev.onset.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import org.junit.jupiter.api.Test;

class TopologyTest {
    private static final Scope MOUNT_1 = Scope.mount("a", "vol", "gpu-01", "/mnt/jfs");
    private static final Scope MOUNT_2 = Scope.mount("a", "vol", "gpu-02", "/mnt/jfs");
    private static final Scope HOST_1 = Scope.host("a", "gpu-01");
    private static final Scope HOST_2 = Scope.host("a", "gpu-02");
    private static final Scope REDIS = Scope.redis("a", "meta:6379");
    private static final Scope JOB = Scope.job("a");
    private static final Scope OTHER = Scope.mount("b", "vol", "gpu-01", "/mnt/jfs");

    private final Topology topology = new Topology();

    TopologyTest() {
        mount(MOUNT_1, "gpu-01");
        mount(MOUNT_2, "gpu-02");
        mount(OTHER, "gpu-01");
        learn(SourceKind.NODE, "a", HOST_1);
        learn(SourceKind.NODE, "a", HOST_2);
        learn(SourceKind.REDIS, "a", REDIS);
        learn(SourceKind.ACCELERATOR, "a", JOB);
    }

    @Test
    void a_mount_has_its_own_host_its_redis_and_its_job() {
        assertThat(topology.connected(MOUNT_1)).containsExactly(MOUNT_1, HOST_1, REDIS, JOB);
    }

    @Test
    void a_job_has_everything_of_its_group_and_nothing_of_another() {
        assertThat(topology.connected(JOB)).containsExactlyInAnyOrder(JOB, HOST_1, HOST_2, REDIS, MOUNT_1, MOUNT_2);
    }

    @Test
    void a_host_has_the_mounts_on_it() {
        assertThat(topology.connected(HOST_2)).contains(MOUNT_2).doesNotContain(MOUNT_1, HOST_1);
    }

    @Test
    void the_only_host_of_a_group_needs_no_name_that_matches() {
        learn(SourceKind.NODE, "b", Scope.host("b", "10.0.0.7"));
        assertThat(topology.connected(OTHER)).containsExactly(OTHER, Scope.host("b", "10.0.0.7"));
    }

    @Test
    void one_of_several_hosts_must_match() {
        learn(SourceKind.NODE, "b", Scope.host("b", "10.0.0.7"));
        learn(SourceKind.NODE, "b", Scope.host("b", "10.0.0.8"));
        assertThat(topology.connected(OTHER)).containsExactly(OTHER);
    }

    private void mount(Scope scope, String host) {
        topology.learn(
                new Target(SourceKind.JUICEFS, scope.group(), host + ":9567", null),
                new Identity(scope, host, "vol", "/mnt/jfs", "1.4.2"));
    }

    private void learn(SourceKind source, String group, Scope scope) {
        topology.learn(new Target(source, group, scope.id() + ":1", null), new Identity(scope, null, null, null, null));
    }
}
