package dev.onset.outlets.webhook.generic;

import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.RESOLVED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.Example;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Language;
import dev.onset.outlets.webhook.Receiver;
import dev.onset.outlets.webhook.ReceiverContract;
import dev.onset.outlets.webhook.ReceiverSettings;
import dev.onset.outlets.webhook.RecordingReceiver.Answer;
import dev.onset.rules.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class GenericReceiverTest extends ReceiverContract {
    @Override
    protected Receiver receiver(ReceiverSettings common, String url, HttpPost http) {
        return new GenericReceiver.Type().create(common, new GenericSettings(url, null, null), http);
    }

    @Override
    protected Answer taken() {
        return Answer.of(204, "");
    }

    @Override
    protected List<Answer> refusals() {
        return List.of(Answer.of(400, "bad json"), Answer.of(401, ""), Answer.of(404, "<html>not here</html>"));
    }

    @Test
    void the_fingerprint_stays_the_same_until_the_end_whatever_else_changes() {
        receiver(Language.EN).deliver(message(diagnosis("d1"), OPENED));
        receiver(Language.EN)
                .deliver(message(diagnosis("d1").severity(Severity.S1).resolvedAt(Example.OPENED + 1000), RESOLVED));
        receiver(Language.EN).deliver(message(diagnosis("d2"), OPENED));

        List<JsonNode> alerts = server.requests().stream()
                .map(request -> JsonMapper.shared()
                        .readTree(request.body())
                        .path("alerts")
                        .path(0))
                .toList();
        assertThat(alerts.get(1).path("fingerprint")).isEqualTo(alerts.get(0).path("fingerprint"));
        assertThat(alerts.get(2).path("fingerprint")).isNotEqualTo(alerts.get(0).path("fingerprint"));
        assertThat(alerts.get(0).path("endsAt").asString()).isEqualTo("0001-01-01T00:00:00Z");
        assertThat(alerts.get(1).path("status").asString()).isEqualTo("resolved");
    }

    @Test
    void sends_the_token_and_never_prints_it(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "abcdef-0123456789\n");
        ReceiverSettings common = new ReceiverSettings(0, "ops", "generic", Language.EN, Severity.S3);
        Receiver receiver = new GenericReceiver.Type()
                .create(common, new GenericSettings(server.url("/x"), null, file), HttpPost.create(CLOCK));
        server.next(Answer.of(403, "bad token abcdef-0123456789"));

        String reason = reason(receiver.deliver(message(diagnosis("d1"), OPENED)));

        assertThat(server.requests().get(0).headers()).containsEntry("authorization", "Bearer abcdef-0123456789");
        assertThat(reason).contains("HTTP 403 bad token ***");
        assertThat(receiver.toString()).doesNotContain("abcdef");
    }
}
