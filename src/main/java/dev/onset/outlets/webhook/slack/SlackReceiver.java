package dev.onset.outlets.webhook.slack;

import dev.onset.outlets.webhook.Delivery;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Language;
import dev.onset.outlets.webhook.Message;
import dev.onset.outlets.webhook.Pace;
import dev.onset.outlets.webhook.Receiver;
import dev.onset.outlets.webhook.ReceiverSettings;
import dev.onset.outlets.webhook.ReceiverType;
import dev.onset.outlets.webhook.Secret;
import dev.onset.rules.Remedy;
import dev.onset.signals.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import okhttp3.HttpUrl;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Posts blocks to a Slack incoming webhook, and a plain text where Slack does not take the blocks. */
public final class SlackReceiver implements Receiver {
    private static final JsonMapper JSON = JsonMapper.shared();
    /** Slack allows 50 blocks; a message has at most four. */
    private static final int LONGEST_HEADER = 150;

    private static final int LONGEST_SECTION = 3000;
    private static final int LONGEST_PLAIN = 1000;

    private final ReceiverSettings common;
    private final HttpUrl url;
    private final HttpPost http;

    private SlackReceiver(ReceiverSettings common, HttpUrl url, HttpPost http) {
        this.common = common;
        this.url = url;
        this.http = http;
    }

    /** {@code type: slack} */
    @Component
    public static final class Type implements ReceiverType<SlackSettings> {
        @Override
        public String id() {
            return "slack";
        }

        @Override
        public Class<SlackSettings> settings() {
            return SlackSettings.class;
        }

        @Override
        public Pace pace() {
            return new Pace(3, Duration.ofMillis(1100));
        }

        @Override
        public Receiver create(ReceiverSettings common, SlackSettings own, HttpPost http) {
            return new SlackReceiver(common, Secret.url(common, own.url(), own.urlFile()), http);
        }
    }

    @Override
    public String name() {
        return common.name();
    }

    @Override
    public Delivery deliver(Message message) {
        return http.json(url, blocks(message), message, Map.of(), reply -> {
            String code = String.valueOf(reply.body()).strip();
            return reply.status() == 400 && code.startsWith("invalid_blocks")
                    ? deliverPlain(message, code)
                    : judge(reply);
        });
    }

    private Delivery deliverPlain(Message message, String code) {
        String why = Message.cut(Message.oneLine(code), 100);
        Text note = new Text(
                "Slack did not take the blocks (" + why + "); sent as plain text", "Slack 不接受消息块（" + why + "），已改发纯文本");
        return http.json(url, plain(message), message, Map.of(), SlackReceiver::judge)
                .fold(delivered -> new Delivery.Delivered(note), refused -> refused, retry -> retry);
    }

    private static Delivery judge(HttpPost.Reply reply) {
        String body = reply.body();
        if (body == null) {
            return Delivery.retry("Slack's answer broke off", "Slack 的应答中断");
        }
        if (reply.status() == 200 && body.strip().equals("ok")) {
            return Delivery.delivered();
        }
        Text why = explain(body.strip());
        String answer = " (HTTP " + reply.status() + " " + reply.gist() + ")";
        return Delivery.refused("Slack refused it: " + why.en() + answer, "Slack 拒收：" + why.zh() + answer);
    }

    private static Text explain(String code) {
        return switch (code) {
            case "invalid_payload" -> new Text("it cannot read the message", "无法解析消息");
            case "action_prohibited" -> new Text("an administrator forbids posting here", "管理员禁止在此发消息");
            case "channel_not_found" -> new Text("the channel does not exist", "频道不存在");
            case "channel_is_archived" -> new Text("the channel is archived", "频道已归档");
            case "no_service", "no_service_id", "no_team", "team_disabled" ->
                new Text("this webhook is switched off or removed", "该 webhook 已停用或删除");
            case "invalid_token" -> new Text("the URL is wrong or was revoked", "URL 有误或已被吊销");
            default -> new Text("unexpected answer", "意外的应答");
        };
    }

    private byte[] blocks(Message message) {
        Language language = common.lang();
        String headline = message.headline(language);
        ArrayNode blocks = JSON.createArrayNode();
        blocks.addObject().put("type", "header").set("text", text("plain_text", escape(headline, LONGEST_HEADER)));
        if (escape(headline, Integer.MAX_VALUE).length() > LONGEST_HEADER) {
            section(blocks, escape(headline, LONGEST_SECTION));
        }
        message.advice().ifPresent(remedy -> section(blocks, remedy(remedy, language)));
        String context = message.diagnosis().finding().severity() + " · "
                + message.diagnosis().rule();
        String link = message.link();
        String line = escape(context, LONGEST_PLAIN)
                + (link.isEmpty()
                        ? ""
                        : " · <" + escape(link, LONGEST_PLAIN) + "|" + language.of("Open the evidence", "查看证据") + ">");
        blocks.addObject().put("type", "context").putArray("elements").add(text("mrkdwn", line));

        ObjectNode body = JSON.createObjectNode();
        body.put("text", escape(headline, LONGEST_PLAIN));
        body.set("blocks", blocks);
        return JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    }

    private static String remedy(Remedy remedy, Language language) {
        String title = escape(Message.oneLine(language.of(remedy.title())), 900);
        if (remedy.command().isBlank()) {
            return title;
        }
        // A fence inside the command would end the code block; the page has the command as it is.
        String command = remedy.command().replace("```", "'''");
        return title + "\n```" + escape(command, LONGEST_SECTION - title.length() - 7) + "```";
    }

    private byte[] plain(Message message) {
        String link = message.link();
        String text = escape(message.headline(common.lang()), LONGEST_PLAIN)
                + (link.isEmpty() ? "" : "\n" + escape(link, LONGEST_PLAIN));
        return JSON.writeValueAsString(JSON.createObjectNode().put("text", text))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void section(ArrayNode blocks, String markup) {
        blocks.addObject().put("type", "section").set("text", text("mrkdwn", markup));
    }

    private static ObjectNode text(String type, String text) {
        return JSON.createObjectNode().put("type", type).put("text", text);
    }

    /** Slack counts the escaped text, so the cut is made while escaping and never inside an entity. */
    static String escape(String text, int most) {
        StringBuilder escaped = new StringBuilder();
        int[] points = text.codePoints().toArray();
        for (int i = 0; i < points.length; i++) {
            String next =
                    switch (points[i]) {
                        case '&' -> "&amp;";
                        case '<' -> "&lt;";
                        case '>' -> "&gt;";
                        default -> Character.toString(points[i]);
                    };
            boolean last = i == points.length - 1;
            if (escaped.length() + next.length() > (last ? most : most - 1)) {
                return escaped.append('…').toString();
            }
            escaped.append(next);
        }
        return escaped.toString();
    }

    @Override
    public String toString() {
        return "slack " + name() + " at " + url.host();
    }
}
