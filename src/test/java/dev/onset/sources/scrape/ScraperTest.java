package dev.onset.sources.scrape;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.sources.Answer;
import dev.onset.sources.settings.ExporterSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScraperTest {
    private static final Duration LIMIT = Duration.ofMillis(1500);
    private static final String METRICS = "# TYPE up gauge\nup 1\n";

    private final Clock noon = Clock.fixed(Instant.parse("2026-12-01T12:00:00Z"), ZoneOffset.UTC);
    private final Scraper scraper = new Scraper(LIMIT, noon);
    private final List<FakeExporter> exporters = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        scraper.close();
        for (FakeExporter exporter : exporters) {
            exporter.close();
        }
    }

    @Test
    void hands_on_the_bytes_as_they_came() {
        FakeExporter exporter = exporter(FakeExporter.text(METRICS));

        Answer answer = ask(exporter);

        assertThat(new String(answer.body(), UTF_8)).isEqualTo(METRICS);
        assertThat(answer.kind()).isEqualTo(Answer.Kind.METRICS);
        assertThat(answer.atMillis()).isEqualTo(noon.millis());
        assertThat(answer.tookSeconds()).isBetween(0.0, 1.5);
        assertThat(answer.target().address()).isEqualTo(exporter.address());
        assertThat(exporter.requests())
                .singleElement()
                .asString()
                .startsWith("GET /metrics HTTP/1.1")
                .contains("Accept: text/plain;version=0.0.4", "Accept-Encoding: identity")
                .doesNotContain("Connection: close");
    }

    @Test
    void takes_an_answer_without_content_type_and_one_that_calls_itself_html() {
        assertThat(ask(exporter(FakeExporter.raw("HTTP/1.1 200 OK\r\n\r\n" + METRICS)))
                        .body())
                .asString(UTF_8)
                .isEqualTo(METRICS);
        assertThat(ask(exporter(FakeExporter.raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + METRICS)))
                        .body())
                .asString(UTF_8)
                .isEqualTo(METRICS);
    }

    @Test
    void a_page_is_told_by_its_title() {
        Answer answer = ask(exporter(FakeExporter.text("\n<html><head><title>Sign in</title></head></html>")));

        assertThat(answer.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(answer.detail()).endsWith(": answered an HTML page titled \"Sign in\"");
    }

    @Test
    void an_error_status_and_a_redirect_are_told_and_not_followed() {
        FakeExporter other = exporter(FakeExporter.text(METRICS));
        Answer failed = ask(exporter(FakeExporter.raw("HTTP/1.1 503 Service Unavailable\r\n\r\n")));
        Answer redirected = ask(exporter(
                FakeExporter.raw("HTTP/1.1 302 Found\r\nLocation: http://" + other.address() + "/login\r\n\r\n")));

        assertThat(failed.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(failed.detail()).endsWith(": answered HTTP 503 Service Unavailable");
        assertThat(redirected.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(redirected.detail())
                .endsWith(": answered HTTP 302, a redirect to http://" + other.address() + "/login");
        assertThat(other.requests()).isEmpty();
    }

    @Test
    void a_closed_port_is_a_target_that_is_down() throws IOException {
        String address;
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + port.getLocalPort();
        }

        Answer answer = scraper.ask(target(address)).join();

        assertThat(answer.missing()).isEqualTo(Gap.TARGET_DOWN);
        assertThat(answer.detail()).isEqualTo(address + ": connection refused or no route");
    }

    @Test
    void a_reset_is_a_target_that_is_down() {
        assertThat(ask(exporter(FakeExporter.reset())).missing()).isEqualTo(Gap.TARGET_DOWN);
    }

    @Test
    void an_answer_that_breaks_off_is_not_used() {
        Answer answer = ask(exporter(FakeExporter.raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nup 1\n")));

        assertThat(answer.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(answer.detail()).contains("the answer broke off");
    }

    @Test
    void what_is_not_http_is_told() {
        assertThat(ask(exporter(FakeExporter.raw("-ERR wrong number of arguments\r\n")))
                        .detail())
                .contains("does not speak HTTP");
        assertThat(ask(exporter((connection, out) -> connection.close())).detail())
                .contains("closed the connection without an answer");
    }

    @Test
    void hanging_and_dripping_end_at_the_limit_and_delay_nobody() {
        FakeExporter good = exporter(FakeExporter.text(METRICS));
        long from = System.nanoTime();
        CompletableFuture<Answer> hanging = scraper.ask(target(exporter(FakeExporter.hang())));
        CompletableFuture<Answer> dripping = scraper.ask(target(exporter(FakeExporter.drip(50))));
        List<CompletableFuture<Answer>> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            others.add(scraper.ask(new ExporterTarget(
                    new dev.onset.signals.Target(SourceKind.NODE, "job", "n" + i, null),
                    target(good).url(),
                    false)));
        }

        assertThat(others)
                .allSatisfy(other -> assertThat(other.join().missing()).isNull());
        assertThat(hanging).isNotDone();
        assertThat(hanging.join().missing()).isEqualTo(Gap.TIMED_OUT);
        assertThat(dripping.join().missing()).isEqualTo(Gap.TIMED_OUT);
        assertThat(dripping.join().detail()).endsWith(": no complete answer within 1.5 s");
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LIMIT.plusSeconds(1));
    }

    @Test
    void never_asks_a_target_twice_at_a_time() {
        FakeExporter exporter = exporter(FakeExporter.hang());
        CompletableFuture<Answer> first = scraper.ask(target(exporter));
        Answer second = scraper.ask(target(exporter)).join();

        assertThat(second.missing()).isEqualTo(Gap.TIMED_OUT);
        assertThat(second.detail()).contains("still under way");
        first.join();
        assertThat(exporter.requests()).hasSize(1);

        exporter.now(FakeExporter.text(METRICS));
        assertThat(eventually(exporter).body()).asString(UTF_8).isEqualTo(METRICS);
    }

    @Test
    void a_hundred_megabytes_stop_at_the_limit() {
        FakeExporter exporter = exporter((connection, out) -> {
            out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(UTF_8));
            byte[] block = new byte[1 << 20];
            java.util.Arrays.fill(block, (byte) '#');
            for (int i = 0; i < 100; i++) {
                out.write(block);
            }
        });

        Answer answer =
                new Scraper(Duration.ofSeconds(10), noon).ask(target(exporter)).join();

        assertThat(answer.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(answer.detail()).endsWith(": answered more than the limit of 16 MiB");
    }

    @Test
    void gzip_is_read_when_it_comes_and_a_bomb_stops_at_the_limit() throws IOException {
        byte[] small = gzip(METRICS.getBytes(UTF_8));
        byte[] bomb = gzip(new byte[64 << 20]);
        Scraper patient = new Scraper(Duration.ofSeconds(10), noon);
        FakeExporter exporter = exporter(gzipped(small));
        ExporterTarget target =
                ExporterTarget.of(SourceKind.JUICEFS, "job", new ExporterSettings(exporter.address(), null, true));

        assertThat(patient.ask(target).join().body()).asString(UTF_8).isEqualTo(METRICS);
        assertThat(exporter.requests().get(0)).contains("Accept-Encoding: gzip");

        Answer bombed = patient.ask(target(exporter(gzipped(bomb)))).join();
        assertThat(bombed.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(bombed.detail()).contains("the limit of 16 MiB");

        Answer corrupt = patient.ask(target(exporter(gzipped("not gzip at all".getBytes(UTF_8)))))
                .join();
        assertThat(corrupt.missing()).isEqualTo(Gap.BAD_ANSWER);
        assertThat(corrupt.detail()).contains("the compression of the answer is broken");
    }

    @Test
    void a_full_url_chooses_scheme_and_path() {
        FakeExporter exporter = exporter(FakeExporter.text(METRICS));
        ExporterTarget target = ExporterTarget.of(
                SourceKind.TRAINER,
                "job",
                new ExporterSettings("http://" + exporter.address() + "/train/metrics?x=1", "gpu-07", false));

        assertThat(scraper.ask(target).join().body()).asString(UTF_8).isEqualTo(METRICS);
        assertThat(exporter.requests().get(0)).startsWith("GET /train/metrics?x=1 ");
        assertThat(target.target().address()).isEqualTo(exporter.address() + "/train/metrics?x=1");
        assertThat(target.target().host()).isEqualTo("gpu-07");
    }

    private static FakeExporter.Behaviour gzipped(byte[] body) {
        return (Socket connection, java.io.OutputStream out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".getBytes(UTF_8));
            out.write(body);
        };
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private Answer eventually(FakeExporter exporter) {
        Answer answer = ask(exporter);
        for (int i = 0; i < 50 && answer.detail().contains("still under way"); i++) {
            CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS))
                    .join();
            answer = ask(exporter);
        }
        return answer;
    }

    private FakeExporter exporter(FakeExporter.Behaviour behaviour) {
        FakeExporter exporter = new FakeExporter(behaviour);
        exporters.add(exporter);
        return exporter;
    }

    private Answer ask(FakeExporter exporter) {
        return scraper.ask(target(exporter)).join();
    }

    private static ExporterTarget target(FakeExporter exporter) {
        return target(exporter.address());
    }

    private static ExporterTarget target(String address) {
        return ExporterTarget.of(SourceKind.JUICEFS, "job", ExporterSettings.of(address));
    }
}
