package dev.onset.outlets.webhook.slack;

import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.diagnoses.Example;
import dev.onset.outlets.webhook.Delivery;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Language;
import dev.onset.outlets.webhook.Receiver;
import dev.onset.outlets.webhook.ReceiverContract;
import dev.onset.outlets.webhook.ReceiverSettings;
import dev.onset.outlets.webhook.RecordingReceiver.Answer;
import dev.onset.outlets.webhook.RecordingReceiver.Recorded;
import dev.onset.signals.Text;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SlackReceiverTest extends ReceiverContract {
    @Override
    protected Receiver receiver(ReceiverSettings common, String url, HttpPost http) {
        return new SlackReceiver.Type().create(common, new SlackSettings(url, null), http);
    }

    @Override
    protected Answer taken() {
        Recorded latest = server.requests().get(server.requests().size() - 1);
        return blocksAreValid(latest.body()) ? Answer.of(200, "ok") : Answer.of(400, "invalid_blocks");
    }

    /** The limits Slack checks. */
    private static boolean blocksAreValid(String body) {
        JsonNode blocks = JsonMapper.shared().readTree(body).path("blocks");
        for (JsonNode block : blocks) {
            int length = block.path("text").path("text").asString("").length();
            int most = block.path("type").asString().equals("header") ? 150 : 3000;
            if (length > most || (block.has("text") && length == 0)) {
                return false;
            }
        }
        return blocks.size() <= 50;
    }

    @Override
    protected List<Answer> refusals() {
        return List.of(
                Answer.of(200, "<html>sign in to the proxy</html>"),
                Answer.of(400, "invalid_payload"),
                Answer.of(403, "action_prohibited"),
                Answer.of(404, "channel_not_found"),
                Answer.of(404, "no_service"),
                Answer.of(410, "channel_is_archived"));
    }

    @Test
    void says_in_words_why_slack_refused() {
        server.next(Answer.of(410, "channel_is_archived"));

        assertThat(reason(deliver()))
                .isEqualTo("Slack refused it: the channel is archived (HTTP 410 channel_is_archived)");
    }

    /** H46: a message that breaks a limit is refused with a plain word, not JSON. */
    @Test
    void keeps_every_limit_of_slack() {
        Example long1 = diagnosis("d1")
                .saying(Text.same("a&b<c>".repeat(2000)))
                .advising("juicefs warmup <a> & <b>\n".repeat(500));

        Delivery delivery = receiver(Language.EN).deliver(message(long1, OPENED));

        assertThat(delivery).isEqualTo(Delivery.delivered());
        assertThat(server.requests()).hasSize(1);
    }

    /** H46: on refusal a short plain message goes out once, and why is recorded. */
    @Test
    void sends_plain_text_once_where_slack_does_not_take_the_blocks() {
        server.next(Answer.of(400, "invalid_blocks"));
        server.next(Answer.of(200, "ok"));

        Delivery delivery = deliver();

        assertThat(reason(delivery)).isEqualTo("Slack did not take the blocks (invalid_blocks); sent as plain text");
        assertThat(delivery).isInstanceOf(Delivery.Delivered.class);
        JsonNode plain = JsonMapper.shared().readTree(server.requests().get(1).body());
        assertThat(plain.propertyNames()).containsExactly("text");
        assertThat(plain.path("text").asString())
                .isEqualTo("imagenet on gpu-07: reads outran the cache; accelerators idle 56 % of the time\n"
                        + "https://onset.example.org/diagnoses/d1");
    }

    @Test
    void gives_up_when_slack_takes_not_even_plain_text() {
        server.next(Answer.of(400, "invalid_blocks"));
        server.next(Answer.of(400, "invalid_blocks"));

        assertThat(deliver()).isInstanceOf(Delivery.Refused.class);
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void names_cannot_call_people_or_make_links() {
        receiver(Language.EN)
                .deliver(message(diagnosis("d1").saying(Text.same("<!channel> <http://evil|x> & co")), OPENED));

        String body = server.requests().get(0).body();
        assertThat(body)
                .contains("&lt;!channel&gt; &lt;http://evil|x&gt; &amp; co")
                .doesNotContain("<!", "<http://evil");
    }

    @Test
    void a_cut_never_falls_into_an_escape_or_a_character() {
        assertThat(SlackReceiver.escape("ab<", 6)).isEqualTo("ab&lt;");
        assertThat(SlackReceiver.escape("ab<", 5)).isEqualTo("ab…");
        assertThat(SlackReceiver.escape("ab<c", 6)).isEqualTo("ab…");
        assertThat(SlackReceiver.escape("a\uD83D\uDE00b", 3)).isEqualTo("a…");
    }
}
