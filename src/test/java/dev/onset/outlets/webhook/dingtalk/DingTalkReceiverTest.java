package dev.onset.outlets.webhook.dingtalk;

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
import dev.onset.rules.Severity;
import dev.onset.signals.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DingTalkReceiverTest extends ReceiverContract {
    private static final String SECRET = "SECtest0123";

    @Override
    protected Receiver receiver(ReceiverSettings common, String url, HttpPost http) {
        DingTalkSettings own = new DingTalkSettings(url + "?access_token=" + TOKEN, null, SECRET, null, null);
        return new DingTalkReceiver.Type().create(common, own, http);
    }

    @Override
    protected Answer taken() {
        String body = server.requests().get(server.requests().size() - 1).body();
        return body.getBytes(StandardCharsets.UTF_8).length <= 20_000
                ? code(0, "ok")
                : code(460101, "message too long, exceed 20000 bytes");
    }

    @Override
    protected List<Answer> refusals() {
        return List.of(
                Answer.of(200, "<html>sign in to the proxy</html>"),
                Answer.of(200, "{}"),
                Answer.of(200, "null"),
                code(300001, "token is not exist"),
                code(310000, "keywords not in content"),
                code(460101, "message too long"));
    }

    private static Answer code(int code, String message) {
        return Answer.of(200, "{\"errcode\":" + code + ",\"errmsg\":\"" + message + "\"}");
    }

    @Test
    void the_signature_is_the_one_that_others_compute() {
        assertThat(DingTalkReceiver.sign(SECRET, 1_796_000_000_000L))
                .isEqualTo("miUcmuZ5V8L07HqSI8D269VPQC3B29oCJ+4KGy8sb/g=");
    }

    @Test
    void signs_every_attempt_in_the_address() {
        deliver();

        assertThat(server.requests().get(0).target())
                .isEqualTo("/hook/" + TOKEN + "?access_token=" + TOKEN
                        + "&timestamp=1796000000000&sign=miUcmuZ5V8L07HqSI8D269VPQC3B29oCJ%2B4KGy8sb%2Fg%3D");
    }

    /** H42: one code, three reasons, none of them helped by trying again. */
    @Test
    void tells_the_reasons_of_310000_apart() {
        server.next(code(310000, "keywords not in content, more: [https://ding-doc.dingtalk.com]"));
        server.next(code(310000, "sign not match, more: [https://ding-doc.dingtalk.com]"));
        server.next(code(310000, "invalid timestamp, more: [https://ding-doc.dingtalk.com]"));
        server.next(code(310000, "ip 1.2.3.4 not in whitelist"));

        assertThat(deliver())
                .isInstanceOf(Delivery.Refused.class)
                .asString()
                .contains("set it as keyword", "请在 keyword 中填写");
        assertThat(deliver())
                .isInstanceOf(Delivery.Refused.class)
                .asString()
                .contains("signing secret is missing or wrong", "加签密钥");
        assertThat(deliver())
                .isInstanceOf(Delivery.Refused.class)
                .asString()
                .contains("clock of this host is more than an hour off", "一小时");
        assertThat(deliver())
                .isInstanceOf(Delivery.Refused.class)
                .asString()
                .contains("address list", "not in whitelist");
    }

    /** H43: bytes are counted, not characters, and what is missing is said. */
    @Test
    void cuts_a_long_chinese_message_at_a_line_within_20000_bytes() {
        String command = IntStream.rangeClosed(1, 60)
                .mapToObj(i -> "# 第 " + i + " 条证据：" + "未命中率上升之后利用率下降".repeat(12))
                .collect(Collectors.joining("\n"));
        Example long60 = diagnosis("d1").advising(command);

        Delivery delivery = receiver(Language.ZH).deliver(message(long60, OPENED));

        assertThat(delivery).isEqualTo(Delivery.delivered());
        byte[] body = server.requests().get(0).body().getBytes(StandardCharsets.UTF_8);
        assertThat(body.length).isBetween(19_000, 20_000);
        List<String> lines = text(0).lines().filter(line -> !line.isEmpty()).toList();
        assertThat(lines.get(0)).isEqualTo("**gpu-07 上的 imagenet：读取超出缓存，加速卡 56 % 的时间在等待**");
        int shown = lines.size() - 4;
        assertThat(lines.get(lines.size() - 2)).isEqualTo("…… 还有 " + (60 - shown) + " 行，详见页面");
        assertThat(lines.get(lines.size() - 1)).isEqualTo("[查看证据](https://onset.example.org/diagnoses/d1)");
        assertThat(lines.subList(2, lines.size() - 2)).allMatch(line -> line.endsWith("下降`"));
    }

    @Test
    void waits_ten_minutes_when_it_was_too_fast() {
        server.next(code(130101, "send too fast"));

        assertThat(pause(deliver())).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void a_busy_dingtalk_is_tried_again_three_times_at_most() {
        server.next(code(-1, "system busy"));

        assertThat(deliver()).isInstanceOfSatisfying(Delivery.Retry.class, retry -> assertThat(retry.retries())
                .isEqualTo(3));
    }

    @Test
    void adds_the_keyword_that_the_robot_asks_for() {
        ReceiverSettings common = new ReceiverSettings(0, "ops", "dingtalk", Language.EN, Severity.S3);
        DingTalkSettings own = new DingTalkSettings(server.url("/"), null, null, null, "训练告警");

        new DingTalkReceiver.Type()
                .create(common, own, HttpPost.create(CLOCK))
                .deliver(message(diagnosis("d1"), OPENED));

        assertThat(text(0)).endsWith("(https://onset.example.org/diagnoses/d1) 训练告警");
    }

    @Test
    void names_cannot_make_links_images_or_mentions() {
        Text hostile = Text.same("![x](http://evil/p.png) @all **b** <img src=x> `c`");

        receiver(Language.EN)
                .deliver(message(diagnosis("d1").saying(hostile).advising("a ` b\n```\n[l](http://evil)"), OPENED));

        assertThat(text(0)).startsWith("**!［x］(http://evil/p.png) ＠all ∗∗b∗∗ ‹img src=x› 'c'**");
        assertThat(text(0)).contains("`a ' b`", "`'''`", "`[l](http://evil)`");
    }

    @Test
    void its_settings_print_no_secret() {
        assertThat(new DingTalkSettings("http://x/?access_token=abc", null, SECRET, null, "k").toString())
                .doesNotContain("abc", SECRET);
    }

    private String text(int request) {
        JsonNode body =
                JsonMapper.shared().readTree(server.requests().get(request).body());
        return body.path("markdown").path("text").asString();
    }
}
