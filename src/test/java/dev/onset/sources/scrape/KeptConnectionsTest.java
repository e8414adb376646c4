package dev.onset.sources.scrape;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.ExporterSettings;
import java.io.IOException;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections, threads and arrays that serve many questions must never let one of them disturb another. */
class KeptConnectionsTest {
    private static final Duration LIMIT = Duration.ofMillis(1500);

    private final Scraper scraper = new Scraper(LIMIT, Clock.systemUTC());
    private final List<FakeExporter> exporters = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        scraper.close();
        for (FakeExporter exporter : exporters) {
            exporter.close();
        }
    }

    @Test
    void one_connection_serves_many_questions() {
        Set<Socket> connections = ConcurrentHashMap.newKeySet();
        FakeExporter exporter = exporter((connection, out) -> {
            connections.add(connection);
            FakeExporter.text("up 1\n").answer(connection, out);
        });

        for (int i = 0; i < 20; i++) {
            assertThat(ask(exporter).missing()).isNull();
        }

        assertThat(connections).hasSize(1);
    }

    @Test
    void a_connection_that_the_target_closed_while_idle_is_not_a_dead_target() throws IOException {
        FakeExporter exporter = exporter(FakeExporter.text("up 1\n"));
        for (int i = 0; i < 20; i++) {
            assertThat(ask(exporter).missing()).isNull();
            exporter.closeConnections();
        }
    }

    @Test
    void a_connection_that_is_closed_as_the_question_arrives_is_replaced_once() {
        Set<Socket> used = ConcurrentHashMap.newKeySet();
        FakeExporter exporter = exporter((connection, out) -> {
            if (used.add(connection)) {
                FakeExporter.text("up 1\n").answer(connection, out);
            } else {
                connection.close();
            }
        });

        assertThat(ask(exporter).missing()).isNull();
        assertThat(ask(exporter).missing()).isNull();
        assertThat(exporter.requests()).hasSize(3);

        exporter.now((connection, out) -> connection.close());
        assertThat(ask(exporter).detail()).contains("closed the connection without an answer");
        assertThat(exporter.requests()).hasSize(5);
    }

    @Test
    void a_reused_connection_that_breaks_within_an_answer_is_not_asked_again() {
        FakeExporter exporter = exporter(FakeExporter.text("up 1\n"));
        assertThat(ask(exporter).missing()).isNull();

        exporter.now((connection, out) -> {
            FakeExporter.raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nup").answer(connection, out);
            connection.close();
        });

        assertThat(ask(exporter).detail()).contains("the answer broke off");
        assertThat(exporter.requests()).hasSize(2);
    }

    @Test
    void what_follows_a_late_answer_is_not_taken_for_the_next_one() {
        FakeExporter exporter = exporter((connection, out) -> {
            Thread.sleep(LIMIT.toMillis() + 300);
            FakeExporter.text("late 1\n").answer(connection, out);
        });
        assertThat(ask(exporter).missing()).isEqualTo(Gap.TIMED_OUT);

        exporter.now(FakeExporter.text("up 1\n"));

        assertThat(ask(exporter).body()).asString(US_ASCII).isEqualTo("up 1\n");
    }

    @Test
    void hundreds_that_hang_or_drip_take_no_thread_and_no_time_from_the_others() {
        FakeExporter good = exporter(FakeExporter.text("up 1\n"));
        FakeExporter hanging = exporter(FakeExporter.hang());
        FakeExporter dripping = exporter(FakeExporter.drip(100));
        List<CompletableFuture<Answer>> bad = new ArrayList<>();
        List<CompletableFuture<Answer>> others = new ArrayList<>();
        askAll(good, 400);
        long threadsBefore = threads();

        for (int i = 0; i < 400; i++) {
            others.add(scraper.ask(target(good, "good-" + i)));
            if (i % 4 == 0) {
                bad.add(scraper.ask(target(i % 8 == 0 ? hanging : dripping, "bad-" + i)));
            }
        }
        List<Answer> answers = others.stream().map(CompletableFuture::join).toList();
        long threads = threads();

        assertThat(answers).allMatch(answer -> answer.missing() == null);
        assertThat(bad).noneMatch(CompletableFuture::isDone);
        long first = answers.stream().mapToLong(Answer::atMillis).min().orElseThrow();
        long last = answers.stream().mapToLong(Answer::atMillis).max().orElseThrow();
        assertThat(last - first).isLessThan(1000);
        assertThat(threads).isLessThanOrEqualTo(threadsBefore);
        assertThat(bad).allMatch(each -> each.join().missing() == Gap.TIMED_OUT);
    }

    @Test
    void arrays_that_are_used_again_never_show_one_target_s_bytes_in_another_s_answer() throws Exception {
        Random random = new Random(4);
        List<FakeExporter> many = new ArrayList<>();
        for (char letter = 'a'; letter <= 'h'; letter++) {
            String own = String.valueOf(letter);
            many.add(exporter((connection, out) -> {
                int length;
                boolean whole;
                synchronized (random) {
                    length = 1 + random.nextInt(200_000);
                    whole = random.nextInt(4) > 0;
                }
                FakeExporter.raw("HTTP/1.1 200 OK\r\nContent-Length: " + (whole ? length : length + 9) + "\r\n\r\n"
                                + own.repeat(length))
                        .answer(connection, out);
                if (!whole) {
                    connection.close();
                }
            }));
        }
        List<Answer> unread = new ArrayList<>();
        int answered = 0;
        for (int round = 0; round < 60; round++) {
            List<CompletableFuture<Answer>> asked = new ArrayList<>();
            many.forEach(exporter -> asked.add(scraper.ask(target(exporter, exporter.address()))));
            // Those of the last round are still unread while the next come in.
            for (Answer answer : unread) {
                assertOwn(answer);
                scraper.release(answer);
                scraper.release(answer);
            }
            unread.clear();
            for (CompletableFuture<Answer> each : asked) {
                Answer answer = each.join();
                if (answer.missing() == null) {
                    unread.add(answer);
                    answered++;
                }
            }
        }
        assertThat(answered).isGreaterThan(200);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("onset-") || name.startsWith("requester-dispatch"))
                .count();
    }

    private void assertOwn(Answer answer) {
        int index = 0;
        while (!exporters.get(index).address().equals(answer.target().address())) {
            index++;
        }
        byte[] expected = new byte[answer.length()];
        Arrays.fill(expected, (byte) ('a' + index));
        assertThat(answer.body()).isEqualTo(expected);
    }

    private void askAll(FakeExporter exporter, int count) {
        List<CompletableFuture<Answer>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(scraper.ask(target(exporter, "good-" + i)));
        }
        asked.forEach(CompletableFuture::join);
    }

    private Answer ask(FakeExporter exporter) {
        return scraper.ask(target(exporter, exporter.address())).join();
    }

    private static ExporterTarget target(FakeExporter exporter, String name) {
        return new ExporterTarget(
                new Target(SourceKind.JUICEFS, "job", name, null),
                ExporterSettings.of(exporter.address()).url(),
                false);
    }

    private FakeExporter exporter(FakeExporter.Behaviour behaviour) {
        FakeExporter exporter = new FakeExporter(behaviour).keepingConnections();
        exporters.add(exporter);
        return exporter;
    }
}
