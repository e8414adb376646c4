package dev.onset.sources.redis;

import static dev.onset.sources.redis.FakeRedis.array;
import static dev.onset.sources.redis.FakeRedis.bulk;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.onset.signals.Gap;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.RedisSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RedisProbeTest {
    private static final Duration STEP = Duration.ofSeconds(15);

    private final MovableClock clock = new MovableClock();
    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
    private final FakeRedis redis = new FakeRedis();
    private final List<RedisProbe> probes = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void close() throws IOException {
        probes.forEach(RedisProbe::close);
        redis.close();
        watchdog.shutdownNow();
    }

    @Test
    void one_round_brings_info_latency_slowlog_and_config() {
        redis.on("TIME", array(bulk("1796085601"), bulk("500000")))
                .on("LATENCY LATEST", array(array(bulk("expire-cycle"), ":1796085590\r\n", ":180\r\n", ":240\r\n")))
                .on(
                        "LATENCY HISTORY",
                        array(array(":1796085580\r\n", ":240\r\n"), array(":1796085590\r\n", ":180\r\n")))
                .on(
                        "SLOWLOG GET",
                        array(array(
                                ":3\r\n",
                                ":1796085591\r\n",
                                ":12345\r\n",
                                array(bulk("KEYS"), bulk("k".repeat(100))),
                                bulk("10.0.0.9:4242"),
                                bulk("worker"))))
                .on("CONFIG GET latency-monitor-threshold", array(bulk("latency-monitor-threshold"), bulk("0")))
                .on("CONFIG GET maxmemory-policy", array(bulk("maxmemory-policy"), bulk("noeviction")));

        List<Answer> answers = probe(redis.url()).round();

        assertThat(answers)
                .extracting(Answer::kind)
                .containsExactly(Answer.Kind.INFO, Answer.Kind.LATENCY, Answer.Kind.SLOWLOG, Answer.Kind.CONFIG);
        assertThat(answers).allSatisfy(answer -> {
            assertThat(answer.atMillis()).isEqualTo(clock.millis());
            assertThat(answer.target().address()).isEqualTo("127.0.0.1:" + redis.port());
        });
        assertThat(body(answers, Answer.Kind.INFO))
                .startsWith("# Server\r\nredis_version:7.0.15\r\n")
                .containsPattern("\r\nonset_clock_offset_seconds:1\\.[345]\\d{5}\r\n")
                .doesNotContain("onset_refused");
        assertThat(body(answers, Answer.Kind.LATENCY))
                .isEqualTo("{\"latest\":[[\"expire-cycle\",1796085590,180,240]],"
                        + "\"history\":{\"expire-cycle\":[[1796085580,240],[1796085590,180]]}}");
        assertThat(body(answers, Answer.Kind.SLOWLOG))
                .isEqualTo(
                        "[[3,1796085591,12345,[\"KEYS\",\"" + "k".repeat(63) + "…\"],\"10.0.0.9:4242\",\"worker\"]]");
        assertThat(body(answers, Answer.Kind.CONFIG))
                .isEqualTo("{\"latency-monitor-threshold\":\"0\",\"maxmemory-policy\":\"noeviction\"}");
    }

    @Test
    void only_reads_and_never_asks_for_the_whole_configuration() {
        probe(redis.url()).round();

        assertThat(redis.asked())
                .contains("CLIENT SETNAME onset", "TIME", "INFO", "LATENCY LATEST", "SLOWLOG GET 16")
                .allMatch(
                        command -> command.matches("CLIENT SETNAME onset|TIME|INFO( \\w+)?|LATENCY (LATEST|HISTORY .+)"
                                + "|SLOWLOG GET \\d+|CONFIG GET [a-z-]+|PING"));
    }

    @Test
    void history_is_asked_only_for_events_that_changed() {
        RedisProbe probe = probe(redis.url());
        String fork = array(bulk("fork"), ":1796085000\r\n", ":90\r\n", ":90\r\n");
        redis.on("LATENCY LATEST", array(fork));
        probe.round();
        probe.round();
        redis.on("LATENCY LATEST", array(fork, array(bulk("expire-cycle"), ":1796085590\r\n", ":25\r\n", ":25\r\n")));
        String third = body(probe.round(), Answer.Kind.LATENCY);

        assertThat(redis.asked("LATENCY HISTORY fork")).isEqualTo(1);
        assertThat(redis.asked("LATENCY HISTORY expire-cycle")).isEqualTo(1);
        assertThat(third).contains("\"fork\",1796085000", "\"history\":{\"expire-cycle\":[]}");
    }

    @Test
    void config_and_the_long_sections_are_asked_now_and_then() {
        RedisProbe probe = probe(redis.url());
        redis.on("INFO COMMANDSTATS", bulk("# Commandstats\r\ncmdstat_get:calls=1\r\n"));
        List<String> infos = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            infos.add(body(probe.round(), Answer.Kind.INFO));
            clock.move(STEP);
        }
        assertThat(infos.stream().map(info -> info.contains("cmdstat_get")))
                .containsExactly(true, false, false, false, true, false, false, false, true);
        assertThat(redis.asked("CONFIG GET maxmemory-policy")).isEqualTo(1);

        redis.on("CONFIG GET latency-monitor-threshold", array(bulk("latency-monitor-threshold"), bulk("0")));
        long before = redis.asked("CONFIG");
        clock.move(Duration.ofMinutes(9));
        assertThat(probe.round()).extracting(Answer::kind).contains(Answer.Kind.CONFIG);
        assertThat(redis.asked("CONFIG")).isGreaterThan(before + 10);
    }

    @Test
    void a_refused_command_is_asked_once_and_named_in_every_info() {
        redis.on("CONFIG", FakeRedis.UNKNOWN)
                .on("CONFIG GET", FakeRedis.UNKNOWN)
                .on("CLIENT SETNAME", FakeRedis.UNKNOWN)
                .on("LATENCY LATEST", FakeRedis.NOPERM);
        RedisProbe probe = probe(redis.url());
        probe.startPings();
        List<List<Answer>> rounds = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            rounds.add(probe.round());
            clock.move(STEP);
        }
        await().until(() -> redis.asked("PING") > 0);

        assertThat(redis.asked("CONFIG")).isEqualTo(1);
        assertThat(redis.asked("CLIENT")).isEqualTo(1);
        assertThat(redis.asked("LATENCY")).isEqualTo(1);
        assertThat(redis.asked("SLOWLOG GET 16")).isEqualTo(10);
        assertThat(probe.refused()).containsExactly("CLIENT", "CONFIG", "LATENCY");
        assertThat(rounds).allSatisfy(round -> assertThat(body(round, Answer.Kind.INFO))
                .contains("\r\nonset_refused:CLIENT,CONFIG,LATENCY\r\n"));
        assertThat(rounds.get(0))
                .filteredOn(answer -> answer.missing() != null)
                .extracting(Answer::kind, Answer::missing)
                .contains(tuple(Answer.Kind.LATENCY, Gap.REFUSED), tuple(Answer.Kind.CONFIG, Gap.REFUSED));
        assertThat(rounds.get(1)).filteredOn(a -> a.kind() != Answer.Kind.PING).allMatch(a -> a.missing() == null);

        clock.move(Duration.ofHours(1));
        probe.round();
        assertThat(redis.asked("CONFIG")).isEqualTo(2);
    }

    @Test
    void more_of_the_slow_log_is_fetched_when_all_that_came_is_new() {
        redis.on("SLOWLOG GET 16", slowlog(100, 16)).on("SLOWLOG GET 64", slowlog(100, 40));
        RedisProbe probe = probe(redis.url());

        assertThat(json(probe.round(), Answer.Kind.SLOWLOG)).hasSize(40);
        assertThat(json(probe.round(), Answer.Kind.SLOWLOG)).hasSize(16);
        redis.on("SLOWLOG GET 16", slowlog(116, 16));
        assertThat(json(probe.round(), Answer.Kind.SLOWLOG)).hasSize(16);
        assertThat(redis.asked("SLOWLOG GET 64")).isEqualTo(1);
    }

    @Test
    void resp3_shapes_are_read_as_well() {
        redis.on("HELLO", "%3\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+version\r\n+7.0.15\r\n")
                .on("INFO", verbatim("redis_version:7.0.15\r\n"))
                .on("CONFIG GET latency-monitor-threshold", "%1\r\n" + bulk("latency-monitor-threshold") + bulk("0"));

        List<Answer> answers = probe(redis.url() + "?protocol=3").round();

        assertThat(redis.asked().get(0)).startsWith("HELLO 3");
        assertThat(body(answers, Answer.Kind.INFO)).startsWith("redis_version:7.0.15\r\n");
        assertThat(body(answers, Answer.Kind.CONFIG)).isEqualTo("{\"latency-monitor-threshold\":\"0\"}");
    }

    @Test
    void a_wrong_password_is_told_without_the_password_and_not_hammered() throws IOException {
        Path secret = folder.resolve("secret");
        Files.writeString(secret, "hunter2\n");
        redis.on("AUTH", "-WRONGPASS invalid username-password pair, you said 'hunter2'\r\n");
        RedisProbe probe = probe(new RedisSettings(redis.url(), "diag", secret.toString(), null, false));

        for (int i = 0; i < 20; i++) {
            Answer answer = probe.round().get(0);
            assertThat(answer.missing()).isEqualTo(Gap.REFUSED);
            assertThat(answer.detail())
                    .startsWith("127.0.0.1:" + redis.port() + ": WRONGPASS")
                    .doesNotContain("hunter2");
            clock.move(Duration.ofSeconds(5));
        }
        assertThat(redis.asked("AUTH diag hunter2")).isBetween(3L, 8L);
    }

    @Test
    void a_server_that_is_down_is_told() throws IOException {
        int port = redis.port();
        RedisProbe probe = probe(redis.url());
        probe.round();
        redis.close();

        Answer down = probe.round().get(0);
        assertThat(down.kind()).isEqualTo(Answer.Kind.INFO);
        assertThat(down.missing()).isEqualTo(Gap.TARGET_DOWN);
        assertThat(down.detail()).contains("127.0.0.1:" + port);
    }

    @Test
    void a_connection_closed_while_idle_costs_nothing() throws IOException {
        RedisProbe probe = probe(redis.url());
        probe.round();
        redis.hangUp();
        await().untilAsserted(() ->
                assertThat(probe.round()).extracting(Answer::missing).containsOnlyNulls());
    }

    @Test
    void a_hanging_server_ends_at_the_limit() throws IOException {
        redis.on("INFO", FakeRedis.HANG);
        long from = System.nanoTime();
        Answer hung = probe(RedisSettings.of(redis.url()), Duration.ofMillis(400))
                .round()
                .get(0);
        assertThat(hung.missing()).isEqualTo(Gap.TIMED_OUT);

        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "redis://127.0.0.1:" + silent.getLocalPort();
            Answer silence =
                    probe(RedisSettings.of(url), Duration.ofMillis(400)).round().get(0);
            assertThat(silence.missing()).isEqualTo(Gap.TIMED_OUT);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void a_reply_of_absurd_size_or_shape_is_refused_before_it_is_read() {
        for (String absurd : List.of(
                "$2147483647\r\n",
                "*2147483647\r\n",
                "*1\r\n".repeat(100_000),
                "HTTP/1.1 400 Bad Request\r\n",
                ":x\r\n")) {
            redis.on("INFO", absurd);
            Answer answer = probe(redis.url()).round().get(0);
            assertThat(answer.missing()).isEqualTo(Gap.BAD_ANSWER);
            assertThat(answer.detail()).contains("the connection broke");
        }
    }

    @Test
    void a_stall_shows_in_every_ping_that_fell_into_it() throws InterruptedException {
        RedisProbe probe = new RedisProbe("job", RedisSettings.of(redis.url()), STEP, Clock.systemUTC(), watchdog);
        probes.add(probe);
        probe.round();
        probe.startPings();
        await().until(() -> redis.asked("PING") >= 3);
        redis.freeze();
        Thread.sleep(1200);
        redis.thaw();
        long thawed = redis.asked("PING");
        await().until(() -> redis.asked("PING") >= thawed + 4);

        List<Answer> answers = pings(probe);
        List<Integer> micros = answers.stream().flatMap(a -> micros(a).stream()).toList();
        assertThat(answers)
                .allSatisfy(a -> assertThat(new String(a.body(), UTF_8)).startsWith("{\"every\":250,"));
        assertThat(micros).filteredOn(each -> each > 100_000).hasSizeBetween(3, 6);
        assertThat(micros).anyMatch(each -> each > 800_000);
        assertThat(System.currentTimeMillis() - answers.get(0).atMillis()).isBetween(1200L, 20_000L);
    }

    @Test
    void pings_without_a_server_are_missing_and_not_lost() throws IOException {
        RedisProbe probe = probe(redis.url());
        probe.round();
        probe.startPings();
        await().until(() -> !pings(probe).isEmpty());
        redis.close();

        await().untilAsserted(() -> assertThat(probe.round())
                .filteredOn(answer -> answer.kind() == Answer.Kind.PING)
                .isNotEmpty()
                .allMatch(answer -> answer.missing() == Gap.TARGET_DOWN));
    }

    private static List<Answer> pings(RedisProbe probe) {
        return probe.round().stream()
                .filter(answer -> answer.kind() == Answer.Kind.PING && answer.body() != null)
                .toList();
    }

    private static List<Integer> micros(Answer answer) {
        JsonNode micros = new JsonMapper().readTree(answer.body()).get("micros");
        return IntStream.range(0, micros.size())
                .mapToObj(micros::get)
                .filter(JsonNode::isNumber)
                .map(JsonNode::asInt)
                .toList();
    }

    private static String verbatim(String text) {
        return "=" + (text.length() + 4) + "\r\ntxt:" + text + "\r\n";
    }

    private static String slowlog(int newest, int count) {
        return array(IntStream.range(0, count)
                .mapToObj(i -> array(":" + (newest - i) + "\r\n", ":1796085591\r\n", ":12345\r\n", array(bulk("GET"))))
                .toArray(String[]::new));
    }

    private RedisProbe probe(String url) {
        return probe(RedisSettings.of(url));
    }

    private RedisProbe probe(RedisSettings settings) {
        return probe(settings, Duration.ofSeconds(10));
    }

    private RedisProbe probe(RedisSettings settings, Duration limit) {
        RedisProbe probe = new RedisProbe("job", settings, limit, clock, watchdog);
        probes.add(probe);
        return probe;
    }

    private static String body(List<Answer> answers, Answer.Kind kind) {
        return answers.stream()
                .filter(answer -> answer.kind() == kind)
                .map(answer -> answer.body() == null ? answer.detail() : new String(answer.body(), UTF_8))
                .findFirst()
                .orElse("no " + kind);
    }

    private static JsonNode json(List<Answer> answers, Answer.Kind kind) {
        return new JsonMapper().readTree(body(answers, kind));
    }
}
