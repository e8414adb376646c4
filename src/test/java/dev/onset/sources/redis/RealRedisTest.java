package dev.onset.sources.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onset.signals.Gap;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

class RealRedisTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @TempDir
    Path folder;

    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
    private RealRedis redis;

    @BeforeEach
    void start() throws IOException {
        redis = new RealRedis(folder, "--latency-monitor-threshold", "5", "--enable-debug-command", "yes");
    }

    @AfterEach
    void stop() {
        redis.close();
        watchdog.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?protocol=3"})
    void both_protocols_bring_the_same_answers(String protocol) throws IOException {
        try (Jedis client = redis.client();
                RedisProbe probe = probe(RedisSettings.of(redis.url() + protocol))) {
            client.configSet("slowlog-log-slower-than", "5000");
            client.sendCommand(() -> "DEBUG".getBytes(UTF_8), "SLEEP", "0.02");
            List<Answer> answers = probe.round();

            assertThat(answers).extracting(Answer::missing).containsOnlyNulls();
            assertThat(body(answers, Answer.Kind.INFO))
                    .contains("redis_version:", "\r\n# Keyspace", "cmdstat_", "onset_clock_offset_seconds:")
                    .doesNotContain("onset_refused");
            assertThat(body(answers, Answer.Kind.LATENCY))
                    .matches("\\{\"latest\":\\[\\[\"command\",\\d+,2\\d,2\\d]],"
                            + "\"history\":\\{\"command\":\\[\\[\\d+,2\\d]]}}");
            assertThat(body(answers, Answer.Kind.SLOWLOG))
                    .matches("\\[\\[\\d+,\\d+,2\\d{4},\\[\"DEBUG\",\"SLEEP\",\"0.02\"],\"127.0.0.1:\\d+\",\"\"]].*");
            assertThat(body(answers, Answer.Kind.CONFIG))
                    .contains(
                            "\"latency-monitor-threshold\":\"5\"",
                            "\"maxmemory-policy\":\"noeviction\"",
                            "\"save\":\"\"")
                    .doesNotContain("requirepass");
            assertThat(client.clientList()).contains("name=onset");

            probe.startPings();
            await().untilAsserted(() -> assertThat(probe.round())
                    .filteredOn(answer -> answer.kind() == Answer.Kind.PING && answer.body() != null)
                    .extracting(answer -> new String(answer.body(), UTF_8))
                    .first()
                    .asString()
                    .matches("\\{\"every\":250,\"micros\":\\[(\\d+|null)(,(\\d+|null))*]}"));
        }
    }

    @Test
    void the_user_of_the_documentation_may_do_all_that_is_asked() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "s3cret\n");
        try (Jedis client = redis.client();
                RedisProbe probe =
                        probe(new RedisSettings(redis.url() + "/1", "onset", secret.toString(), null, true))) {
            client.aclSetUser(
                    "onset",
                    ("on >s3cret resetkeys resetchannels -@all +ping +hello +auth +time +info +client|setname"
                                    + " +latency|latest +latency|history +slowlog|get +config|get %R~setting"
                                    + " %R~sessionInfos %R~allSessions +select +get +hlen +hgetall +zcard +zrange")
                            .split(" "));
            juicefs(client);

            assertThat(probe.round()).extracting(Answer::missing).containsOnlyNulls();
            assertThat(probe.refused()).isEmpty();
            assertThat(metadata(probe.settings()).note()).isEmpty();

            client.aclSetUser("onset", "-config", "-latency");
            try (RedisProbe second = probe(probe.settings())) {
                assertThat(second.round())
                        .filteredOn(a -> a.missing() == Gap.REFUSED)
                        .hasSize(2);
                assertThat(second.refused()).containsExactly("CONFIG", "LATENCY");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/1", "/1?protocol=3"})
    void clients_that_are_alive_are_found_and_no_secret_is(String database) {
        try (Jedis client = redis.client()) {
            juicefs(client);
        }

        Metadata metadata = metadata(RedisSettings.of(redis.url() + database));

        assertThat(metadata.note()).isEmpty();
        assertThat(metadata.volume()).isEqualTo("trainvol");
        assertThat(metadata.storage()).isEqualTo("s3");
        assertThat(metadata.clients())
                .containsExactly(new DiscoveredClient(
                        "job",
                        redis.url().substring("redis://".length()),
                        "trainvol",
                        "s3",
                        "gpu-07",
                        List.of("10.0.0.7", "fe80::1"),
                        "/mnt/jfs",
                        "1.4.2+2026-10-26",
                        4242,
                        "2026-12-01T00:40:58.945128517Z"));
        assertThat(metadata.toString()).doesNotContain("TOPSECRET");
    }

    @Test
    void a_database_without_juicefs_or_without_rights_is_told() throws IOException {
        assertThat(metadata(RedisSettings.of(redis.url())).note()).endsWith(", database 0: holds no JuiceFS volume");

        Path secret = Files.writeString(folder.resolve("secret"), "s3cret");
        try (Jedis client = redis.client()) {
            client.aclSetUser("poor", "on", ">s3cret", "+info", "+select");
        }
        assertThat(metadata(new RedisSettings(redis.url() + "/1", "poor", secret.toString(), null, true))
                        .note())
                .contains(", database 1: not readable with these rights: NOPERM");
    }

    private Metadata metadata(RedisSettings settings) {
        return Metadata.read("job", settings, LIMIT, Clock.systemUTC(), watchdog);
    }

    private RedisProbe probe(RedisSettings settings) {
        return new RedisProbe("job", settings, LIMIT, Clock.systemUTC(), watchdog);
    }

    /** What juicefs format and mount leave behind; the second session was killed, the third is broken. */
    private static void juicefs(Jedis client) {
        client.select(1);
        client.set(
                "setting",
                "{\"Name\":\"trainvol\",\"Storage\":\"s3\",\"AccessKey\":\"a\",\"SecretKey\":\"TOPSECRET\"}");
        client.hset(
                "sessionInfos",
                "1",
                "{\"Version\":\"1.4.2+2026-10-26\",\"HostName\":\"gpu-07\",\"IPAddrs\":[\"10.0.0.7\",\"fe80::1\"],"
                        + "\"MountPoint\":\"/mnt/jfs\",\"MountTime\":\"2026-12-01T00:40:58.945128517Z\","
                        + "\"ProcessID\":4242}");
        client.hset("sessionInfos", "2", "{\"HostName\":\"gpu-08\",\"MountPoint\":\"/mnt/jfs\"}");
        client.hset("sessionInfos", "3", "not json");
        double now = System.currentTimeMillis() / 1000.0;
        client.zadd("allSessions", now + 60, "1");
        client.zadd("allSessions", now - 60, "2");
        client.zadd("allSessions", now + 60, "3");
        client.select(0);
    }

    private static String body(List<Answer> answers, Answer.Kind kind) {
        return answers.stream()
                .filter(answer -> answer.kind() == kind && answer.body() != null)
                .map(answer -> new String(answer.body(), UTF_8))
                .findFirst()
                .orElse("no " + kind);
    }
}
