package dev.onset.outlets.webhook;

import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.RESOLVED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.UPDATED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Example;
import dev.onset.outlets.webhook.Delivery.Delivered;
import dev.onset.outlets.webhook.Delivery.Refused;
import dev.onset.outlets.webhook.Delivery.Retry;
import dev.onset.outlets.webhook.RecordingReceiver.Answer;
import dev.onset.rules.Severity;
import dev.onset.signals.Text;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every receiver keeps to. */
public abstract class ReceiverContract {
    protected static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_796_000_000_000L));
    protected static final String TOKEN = "s3cr3t-token-in-the-address";
    private static final Duration PATIENT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    protected RecordingReceiver server;

    /** A receiver that posts to this address. */
    protected abstract Receiver receiver(ReceiverSettings common, String url, HttpPost http);

    /** How the service says that it took the message. */
    protected abstract Answer taken();

    /** Answers by which the service says that it did not, and never will. */
    protected abstract List<Answer> refusals();

    @BeforeEach
    void start() {
        server = new RecordingReceiver(request -> taken());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void success_is_what_the_service_says() {
        assertThat(deliver()).isInstanceOf(Delivered.class);

        RecordingReceiver.Recorded request = server.requests().get(0);
        assertThat(request.headers())
                .containsEntry("content-type", "application/json; charset=utf-8")
                .containsEntry("idempotency-key", "d1/opened/" + Example.OPENED);
        assertThat(request.target()).contains(TOKEN);
    }

    @Test
    void a_refusal_is_final_and_says_why() {
        for (Answer answer : refusals()) {
            server.next(answer);
            assertThat(deliver()).as("%s", answer).isInstanceOf(Refused.class);
        }
        assertThat(server.requests()).hasSize(refusals().size());
    }

    @Test
    void a_service_that_does_not_answer_is_tried_again() {
        server.next(Answer.nothing());

        assertThat(receiver(Language.EN, SHORT).deliver(message(diagnosis("d1"), OPENED)))
                .isInstanceOf(Retry.class);
        assertThat(deliver()).isInstanceOf(Delivered.class);
    }

    @Test
    void a_dead_service_is_tried_again() {
        Receiver receiver = receiver(Language.EN);
        server.close();

        assertThat(reason(receiver.deliver(message(diagnosis("d1"), OPENED)))).startsWith("no answer from 127.0.0.1");
    }

    @Test
    void an_error_of_the_service_is_tried_again_and_then_works() {
        server.next(Answer.of(500, "oops"));

        assertThat(deliver()).isInstanceOf(Retry.class);
        assertThat(deliver()).isInstanceOf(Delivered.class);
    }

    @Test
    void a_service_that_wants_a_pause_gets_it() {
        server.next(Answer.of(429, "").with("Retry-After", "7"));
        server.next(Answer.of(503, "").with("Retry-After", "Tue, 30 Nov 2026 00:54:20 GMT"));
        server.next(Answer.of(429, "").with("Retry-After", "999999999"));
        server.next(Answer.of(429, "").with("Retry-After", "soon"));

        assertThat(pause(deliver())).isEqualTo(Duration.ofSeconds(7));
        assertThat(pause(deliver())).isEqualTo(Duration.ZERO);
        assertThat(pause(deliver())).isEqualTo(Duration.ofHours(1));
        assertThat(pause(deliver())).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void a_huge_answer_is_not_read_to_its_end() {
        server.next(Answer.of(200, "x".repeat(20_000_000)));
        server.next(Answer.of(400, "x".repeat(20_000_000)));

        assertThat(reason(deliver()).length()).isLessThan(500);
        assertThat(reason(deliver()).length()).isBetween(10, 500);
    }

    @Test
    void never_follows_a_redirect() {
        for (int status : List.of(301, 302, 307, 308)) {
            server.next(Answer.of(status, "").with("Location", server.url("/elsewhere")));
            assertThat(deliver()).isInstanceOf(Refused.class);
        }

        assertThat(server.requests()).hasSize(4).noneMatch(request -> request.target()
                .contains("elsewhere"));
    }

    @Test
    void the_address_is_a_secret_and_never_printed() {
        Receiver receiver = receiver(Language.EN);
        assertThat(receiver.toString()).contains("127.0.0.1").doesNotContain(TOKEN);

        server.next(Answer.of(404, "no such hook: " + server.url("/" + TOKEN)));
        server.next(Answer.of(302, "").with("Location", server.url("/" + TOKEN)));
        for (int i = 0; i < 2; i++) {
            assertThat(receiver.deliver(message(diagnosis("d1"), OPENED)))
                    .asString()
                    .doesNotContain(TOKEN);
        }
        server.next(Answer.nothing());
        assertThat(receiver(Language.EN, SHORT).deliver(message(diagnosis("d1"), OPENED)))
                .asString()
                .doesNotContain(TOKEN);
    }

    @Test
    void hostile_names_are_bounded_and_arrive_as_one_message() {
        String name = "<!channel> & <b>[x](http://evil.example)</b> ``` \u202e @all \n\r # \uD83D\uDE00";
        Example hostile = diagnosis("d1").saying(Text.same(name.repeat(20_000))).advising(name.repeat(20_000));

        assertThat(receiver(Language.EN).deliver(message(hostile, OPENED))).isInstanceOf(Delivered.class);

        assertThat(server.requests()).hasSize(1);
        assertThat(server.requests().get(0).body().length()).isLessThan(50_000);
    }

    @Test
    void the_bodies_are_as_expected() throws IOException {
        String kind = getClass().getSimpleName().replace("ReceiverTest", "").toLowerCase(Locale.ROOT);
        golden(kind + "-opened-en", Language.EN, message(diagnosis("d1"), OPENED));
        golden(kind + "-opened-zh", Language.ZH, message(diagnosis("d1"), OPENED));
        golden(
                kind + "-updated-en",
                Language.EN,
                message(diagnosis("d1").severity(Severity.S1).updatedAt(Example.OPENED + 60_000), UPDATED));
        golden(
                kind + "-resolved-zh",
                Language.ZH,
                message(diagnosis("d1").resolvedAt(Example.OPENED + 300_000), RESOLVED));
    }

    private void golden(String name, Language language, Message message) throws IOException {
        receiver(language).deliver(message);
        List<RecordingReceiver.Recorded> requests = server.requests();
        Golden.check(name, requests.get(requests.size() - 1).body());
    }

    protected static Message message(Example example, DiagnosisChange.Kind kind) {
        DiagnosisChange change = example.change(kind);
        return new Message(change.messageId(), kind, change.diagnosis(), "https://onset.example.org");
    }

    protected Delivery deliver() {
        return receiver(Language.EN).deliver(message(diagnosis("d1"), OPENED));
    }

    protected Receiver receiver(Language language) {
        return receiver(language, PATIENT);
    }

    private Receiver receiver(Language language, Duration limit) {
        ReceiverSettings common = new ReceiverSettings(0, "ops", "any", language, Severity.S3);
        return receiver(common, server.url("/hook/" + TOKEN), HttpPost.create(CLOCK, limit));
    }

    /** In English; empty when there is nothing to say. */
    protected static String reason(Delivery delivery) {
        return delivery.fold(
                d -> d.note().en(), r -> r.reason().en(), r -> r.reason().en());
    }

    protected static Duration pause(Delivery delivery) {
        return delivery.fold(d -> Duration.ofDays(-1), r -> Duration.ofDays(-1), Retry::after);
    }
}
