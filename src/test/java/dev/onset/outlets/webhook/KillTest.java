package dev.onset.outlets.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.store.SqliteStore;
import dev.onset.outlets.webhook.RecordingReceiver.Answer;
import dev.onset.outlets.webhook.RecordingReceiver.Recorded;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process is killed at random moments while diagnoses open and messages go out. */
class KillTest {
    private static final int KILLS = 20;

    @TempDir
    Path folder;

    private final Random random = new Random(42);
    private final Set<String> kept = ConcurrentHashMap.newKeySet();
    private final RecordingReceiver server = new RecordingReceiver(request -> Answer.of(200, ""));

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void loses_nothing_that_was_kept_and_repeats_nothing_that_was_marked() throws Exception {
        Path file = folder.resolve("onset.db");
        Map<String, Long> requestsWhenMarked = new HashMap<>();

        for (int run = 0; run < KILLS; run++) {
            Service service = new Service(file, "r" + run, "open");
            if (run % 5 == 0) {
                // While it starts: the first time it is still making its tables.
                Thread.sleep(300 + random.nextInt(600));
            } else {
                service.awaitReady();
                Thread.sleep(random.nextInt(400));
            }
            service.kill();
            Map<String, Long> requests = requests();
            marked(file).forEach(id -> requestsWhenMarked.putIfAbsent(id, requests.getOrDefault(id, 0L)));
        }
        new Service(file, "last", "drain").awaitEnd();

        Map<String, Long> requests = requests();
        Set<String> everKept = Set.copyOf(kept);
        assertThat(everKept.size()).isGreaterThan(KILLS * 2);
        assertThat(stored(file)).as("kept diagnoses are there").containsAll(diagnoses(everKept));
        assertThat(requests.keySet()).as("every kept change arrived").containsAll(everKept);
        assertThat(marked(file)).as("every message is marked").containsExactlyInAnyOrderElementsOf(requests.keySet());
        assertThat(requestsWhenMarked).as("messages that were marked at a kill").isNotEmpty();
        requestsWhenMarked.forEach((id, before) -> assertThat(requests.get(id))
                .as("sent again after its mark: " + id)
                .isEqualTo(before));
        long repeats = requests.values().stream().mapToLong(count -> count - 1).sum();
        assertThat(repeats)
                .as("at most the one message that was under way at each kill")
                .isLessThanOrEqualTo(KILLS);
        assertThat(bodiesThatDiffer()).as("a repeat is the same message").isEmpty();
        System.out.printf(
                "%d kills: %d changes kept, %d messages arrived, %d repeated in the window between reply and mark%n",
                KILLS, everKept.size(), requests.size(), repeats);
    }

    private Map<String, Long> requests() {
        return server.requests().stream().collect(Collectors.groupingBy(Recorded::id, Collectors.counting()));
    }

    private Set<String> bodiesThatDiffer() {
        Map<String, Set<String>> bodies = new HashMap<>();
        server.requests().forEach(request -> bodies.computeIfAbsent(request.id(), id -> new HashSet<>())
                .add(request.body()));
        bodies.values().removeIf(different -> different.size() == 1);
        return bodies.keySet();
    }

    private static Set<String> diagnoses(Set<String> messages) {
        return messages.stream().map(id -> id.substring(0, id.indexOf('/'))).collect(Collectors.toSet());
    }

    private static Set<String> stored(Path file) {
        try (SqliteStore store = SqliteStore.open(file, List.of(), InstantSource.system())) {
            Set<String> ids = store.diagnoses().list(1_000_000).stream()
                    .map(diagnosis -> diagnosis.id())
                    .collect(Collectors.toSet());
            assertThat(store.diagnoses().damaged()).isEmpty();
            return ids;
        }
    }

    private static Set<String> marked(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            if (column(statement, "select name from sqlite_master where name = 'outbox'")
                    .isEmpty()) {
                return Set.of();
            }
            return column(
                    statement,
                    "select diagnosis || '/' || lower(kind) || '/' || sequence from outbox where state = 'DELIVERED'");
        }
    }

    private static Set<String> column(Statement statement, String query) throws SQLException {
        Set<String> values = new HashSet<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    /** The other process. */
    private final class Service {
        private final Process process;
        private final Thread reader;
        private final CountDownLatch ready = new CountDownLatch(1);

        Service(Path file, String run, String what) throws IOException {
            String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx128m",
                            "-cp",
                            classPath,
                            KilledService.class.getName(),
                            file.toString(),
                            server.url("/hook"),
                            run,
                            what)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            reader = new Thread(this::read, "kept");
            reader.start();
        }

        private void read() {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.equals("ready")) {
                        ready.countDown();
                    } else if (line.startsWith("kept ")) {
                        kept.add(line.substring(5));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                ready.countDown();
            }
        }

        void awaitReady() throws InterruptedException {
            assertThat(ready.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.isAlive()).isTrue();
        }

        void kill() throws InterruptedException {
            process.destroyForcibly();
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            reader.join(10_000);
        }

        void awaitEnd() throws InterruptedException {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        }
    }
}
