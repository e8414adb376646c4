package dev.onset.outlets.webhook.generic;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.outlets.webhook.Delivery;
import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Language;
import dev.onset.outlets.webhook.Message;
import dev.onset.outlets.webhook.Pace;
import dev.onset.outlets.webhook.Receiver;
import dev.onset.outlets.webhook.ReceiverSettings;
import dev.onset.outlets.webhook.ReceiverType;
import dev.onset.outlets.webhook.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import okhttp3.HttpUrl;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Posts the body that Alertmanager's webhook receiver posts (version 4), so that whatever reads that reads this. */
public final class GenericReceiver implements Receiver {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LONGEST_VALUE = 4000;
    /** How Alertmanager writes "has not ended". */
    private static final String NOT_ENDED = "0001-01-01T00:00:00Z";

    private final ReceiverSettings common;
    private final HttpUrl url;
    private final Optional<Secret> token;
    private final HttpPost http;

    private GenericReceiver(ReceiverSettings common, HttpUrl url, Optional<Secret> token, HttpPost http) {
        this.common = common;
        this.url = url;
        this.token = token;
        this.http = http;
    }

    /** {@code type: generic} */
    @Component
    public static final class Type implements ReceiverType<GenericSettings> {
        @Override
        public String id() {
            return "generic";
        }

        @Override
        public Class<GenericSettings> settings() {
            return GenericSettings.class;
        }

        @Override
        public Pace pace() {
            return new Pace(50, Duration.ofMillis(100));
        }

        @Override
        public Receiver create(ReceiverSettings common, GenericSettings own, HttpPost http) {
            HttpUrl url = Secret.url(common, own.url(), own.urlFile());
            return new GenericReceiver(common, url, Secret.of(common.key("token"), null, own.tokenFile()), http);
        }
    }

    @Override
    public String name() {
        return common.name();
    }

    @Override
    public Delivery deliver(Message message) {
        Map<String, String> headers = token.<Map<String, String>>map(
                        secret -> Map.of("Authorization", "Bearer " + secret.value()))
                .orElse(Map.of());
        return http.json(url, body(message), message, headers, GenericReceiver::judge);
    }

    private static Delivery judge(HttpPost.Reply reply) {
        if (reply.status() < 300) {
            return Delivery.delivered();
        }
        String answer = "HTTP " + reply.status() + " " + reply.gist();
        return Delivery.refused("the service refused it: " + answer, "对方服务拒收：" + answer);
    }

    private byte[] body(Message message) {
        Diagnosis diagnosis = message.diagnosis();
        boolean resolved = message.kind() == DiagnosisChange.Kind.RESOLVED;
        String status = resolved ? "resolved" : "firing";
        ObjectNode labels = labels(diagnosis);
        ObjectNode annotations = annotations(message);

        ObjectNode alert = JSON.createObjectNode();
        alert.put("status", status);
        alert.set("labels", labels);
        alert.set("annotations", annotations);
        alert.put("startsAt", Instant.ofEpochMilli(diagnosis.openedMillis()).toString());
        Long end = diagnosis.resolvedMillis();
        alert.put("endsAt", resolved && end != null ? Instant.ofEpochMilli(end).toString() : NOT_ENDED);
        alert.put("generatorURL", message.link());
        alert.put("fingerprint", fingerprint(diagnosis.id()));

        ObjectNode body = JSON.createObjectNode();
        body.put("receiver", name());
        body.put("status", status);
        body.putArray("alerts").add(alert);
        // One group a diagnosis, so that a receiver that thinks in groups closes the right one.
        body.putObject("groupLabels").put("alertname", diagnosis.rule()).put("diagnosis", diagnosis.id());
        body.set("commonLabels", labels.deepCopy());
        body.set("commonAnnotations", annotations.deepCopy());
        body.put("externalURL", message.externalUrl());
        body.put("version", "4");
        body.put("groupKey", "{}:{alertname=\"" + diagnosis.rule() + "\", diagnosis=\"" + diagnosis.id() + "\"}");
        body.put("truncatedAlerts", 0);
        return JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    }

    private static ObjectNode labels(Diagnosis diagnosis) {
        ObjectNode labels = JSON.createObjectNode();
        put(labels, "alertname", diagnosis.rule());
        put(labels, "diagnosis", diagnosis.id());
        put(labels, "group", diagnosis.scope().group());
        put(labels, "kind", diagnosis.scope().kind().name().toLowerCase(Locale.ROOT));
        put(labels, "scope", diagnosis.scope().id());
        put(labels, "severity", diagnosis.finding().severity().name());
        return labels;
    }

    /** The whole argument in short, also when it is over: receivers replace what they have by what the last body says. */
    private ObjectNode annotations(Message message) {
        Language language = common.lang();
        ObjectNode annotations = JSON.createObjectNode();
        put(
                annotations,
                "confidence",
                message.diagnosis().finding().confidence().name().toLowerCase(Locale.ROOT));
        put(
                annotations,
                "description",
                language.of(message.diagnosis().finding().detail()));
        put(annotations, "message_id", message.id());
        message.remedy().ifPresent(remedy -> {
            put(annotations, "remedy", language.of(remedy.title()));
            put(annotations, "remedy_command", remedy.command());
        });
        put(annotations, "summary", message.summary(language));
        return annotations;
    }

    private static void put(ObjectNode node, String key, String value) {
        node.put(key, Message.cut(value, LONGEST_VALUE));
    }

    /** Stays the same for the life of a diagnosis (64-bit FNV-1a, as Alertmanager's), whatever else changes. */
    private static String fingerprint(String id) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return String.format(Locale.ROOT, "%016x", hash);
    }

    @Override
    public String toString() {
        return "generic " + name() + " at " + url.host();
    }
}
