package dev.onset.outlets.webhook.dingtalk;

import dev.onset.outlets.webhook.Delivery;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Language;
import dev.onset.outlets.webhook.Message;
import dev.onset.outlets.webhook.Pace;
import dev.onset.outlets.webhook.Receiver;
import dev.onset.outlets.webhook.ReceiverSettings;
import dev.onset.outlets.webhook.ReceiverType;
import dev.onset.outlets.webhook.Secret;
import dev.onset.signals.Text;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Posts markdown to a DingTalk group robot. Its HTTP status is always 200: only the body says what became of it. */
public final class DingTalkReceiver implements Receiver {
    private static final JsonMapper JSON = JsonMapper.shared();
    /** DingTalk counts the bytes of the whole body in UTF-8. */
    private static final int LARGEST_BODY = 20_000;

    private static final int LONGEST_LINE = 1500;
    private static final int LONGEST_TITLE = 100;
    private static final int MOST_LINES = 200;

    private final ReceiverSettings common;
    private final HttpUrl url;
    private final Optional<Secret> secret;
    private final @Nullable String keyword;
    private final HttpPost http;

    private DingTalkReceiver(
            ReceiverSettings common, HttpUrl url, Optional<Secret> secret, @Nullable String keyword, HttpPost http) {
        this.common = common;
        this.url = url;
        this.secret = secret;
        this.keyword = keyword;
        this.http = http;
    }

    /** {@code type: dingtalk} */
    @Component
    public static final class Type implements ReceiverType<DingTalkSettings> {
        @Override
        public String id() {
            return "dingtalk";
        }

        @Override
        public Class<DingTalkSettings> settings() {
            return DingTalkSettings.class;
        }

        /** 20 a minute are allowed, more blocks the robot for ten minutes: at most 5 + 15 in any minute. */
        @Override
        public Pace pace() {
            return new Pace(5, Duration.ofSeconds(4));
        }

        @Override
        public Receiver create(ReceiverSettings common, DingTalkSettings own, HttpPost http) {
            String keyword = own.keyword();
            if (keyword != null && keyword.length() > LONGEST_TITLE) {
                throw new IllegalArgumentException(common.key("keyword") + ": has " + keyword.length()
                        + " characters, allowed are " + LONGEST_TITLE);
            }
            HttpUrl url = Secret.url(common, own.url(), own.urlFile());
            Optional<Secret> secret = Secret.of(common.key("secret"), own.secret(), own.secretFile());
            return new DingTalkReceiver(common, url, secret, keyword, http);
        }
    }

    @Override
    public String name() {
        return common.name();
    }

    @Override
    public Delivery deliver(Message message) {
        return http.json(signedUrl(), body(message), message, Map.of(), DingTalkReceiver::judge);
    }

    /** Signed anew for every attempt: a signature is good for an hour. */
    private HttpUrl signedUrl() {
        long now = http.clock().millis();
        return secret.map(key -> url.newBuilder()
                        .setQueryParameter("timestamp", Long.toString(now))
                        .setQueryParameter("sign", sign(key.value(), now))
                        .build())
                .orElse(url);
    }

    static String sign(String secret, long millis) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] sum = mac.doFinal((millis + "\n" + secret).getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(sum);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    private static Delivery judge(HttpPost.Reply reply) {
        if (reply.body() == null) {
            return Delivery.retry("DingTalk's answer broke off", "钉钉的应答中断");
        }
        try {
            JsonNode answer = JSON.readTree(reply.body());
            JsonNode code = answer.path("errcode");
            if (code.isNumber()) {
                return judge(
                        code.asLong(),
                        Message.cut(Message.oneLine(answer.path("errmsg").asString("")), 200));
            }
        } catch (JacksonException e) {
            // Not JSON: refused below like JSON without a code.
        }
        String gist = "HTTP " + reply.status() + " " + reply.gist();
        return Delivery.refused("this is not DingTalk's answer: " + gist, "应答不是来自钉钉：" + gist);
    }

    private static Delivery judge(long code, String said) {
        if (code == 0) {
            return Delivery.delivered();
        }
        if (code == 130101) {
            return Delivery.retry("DingTalk: too many messages in a minute", "钉钉：发送过于频繁", Duration.ofMinutes(10));
        }
        if (code == -1) {
            return new Delivery.Retry(new Text("DingTalk is busy", "钉钉系统繁忙"), Duration.ZERO, 3);
        }
        Text why = code == 310000 ? explain310000(said.toLowerCase(Locale.ROOT)) : explain(code);
        String answer = " (errcode " + code + " " + said + ")";
        return Delivery.refused("DingTalk refused it: " + why.en() + answer, "钉钉拒收：" + why.zh() + answer);
    }

    private static Text explain310000(String said) {
        if (said.contains("keyword")) {
            return new Text(
                    "the robot asks for a keyword that the message does not contain; set it as keyword",
                    "机器人要求的关键词不在消息中，请在 keyword 中填写");
        }
        if (said.contains("timestamp")) {
            return new Text("the clock of this host is more than an hour off", "本机时钟与钉钉相差超过一小时");
        }
        if (said.contains("sign")) {
            return new Text("the signing secret is missing or wrong", "加签密钥缺失或有误");
        }
        return new Text(
                "a security setting of the robot (keyword, signature or address list) is not met",
                "未满足机器人的安全设置（关键词、加签或 IP 白名单）");
    }

    private static Text explain(long code) {
        if (code == 101002 || code == 460101) {
            return new Text("the message is too long", "消息过长");
        }
        return code == 300001 || code == 300005
                ? new Text("the access token is wrong or the robot is gone", "access_token 有误或机器人已删除")
                : new Text("unexpected code", "意外的错误码");
    }

    private byte[] body(Message message) {
        Language language = common.lang();
        String title = Message.cut(plain(message.headline(language)), LONGEST_TITLE);
        List<String> lines = lines(message);
        String end = end(message);
        for (int kept = lines.size(); ; kept--) {
            byte[] body = body(title, lines, kept, end);
            if (body.length <= LARGEST_BODY || kept == 0) {
                return body;
            }
        }
    }

    private byte[] body(String title, List<String> lines, int kept, String end) {
        List<String> shown = new ArrayList<>(lines.subList(0, kept));
        int missing = lines.size() - kept;
        if (missing > 0) {
            shown.add(common.lang().of("… and " + missing + " more, see the page", "…… 还有 " + missing + " 行，详见页面"));
        }
        shown.add(end);
        ObjectNode body = JSON.createObjectNode();
        body.put("msgtype", "markdown");
        body.putObject("markdown")
                .put("title", title)
                .put("text", String.join("\n\n", shown).strip());
        body.putObject("at").put("isAtAll", false).putArray("atMobiles");
        return JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    }

    /** Each line stands for itself, so that a cut leaves no open markup: every line of a command is code of its own. */
    private List<String> lines(Message message) {
        List<String> lines = new ArrayList<>();
        lines.add("**" + shortened(plain(message.headline(common.lang()))) + "**");
        message.advice().ifPresent(remedy -> {
            lines.add(shortened(plain(common.lang().of(remedy.title()))));
            remedy.command()
                    .lines()
                    .filter(line -> !line.isBlank())
                    .limit(MOST_LINES)
                    .forEach(line -> lines.add("`" + shortened(Message.oneLine(line.replace('`', '\''))) + "`"));
        });
        return lines;
    }

    private String end(Message message) {
        String link = message.link();
        String open = link.isEmpty() ? "" : "[" + common.lang().of("Open the evidence", "查看证据") + "](" + link + ")";
        return keyword == null ? open : (open + " " + plain(keyword)).strip();
    }

    private static String shortened(String line) {
        return Message.cut(line, LONGEST_LINE);
    }

    /**
     * Markdown's own signs become look-alikes: DingTalk has no dependable escape, and a name from a label must not become
     * a link, an image or a mention.
     */
    private static String plain(String text) {
        return Message.oneLine(text)
                .replace('[', '［')
                .replace(']', '］')
                .replace('<', '‹')
                .replace('>', '›')
                .replace('*', '∗')
                .replace('`', '\'')
                .replace('@', '＠');
    }

    @Override
    public String toString() {
        return "dingtalk " + name() + " at " + url.host();
    }
}
