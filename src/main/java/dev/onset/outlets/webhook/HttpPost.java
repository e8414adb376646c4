package dev.onset.outlets.webhook;

import dev.onset.signals.Text;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;

/**
 * Posts JSON to a configured address and nowhere else: a redirect is a refusal. Decides what is the same for every
 * service (network errors, 429, 5xx, redirects) and leaves the rest to the receiver.
 */
public final class HttpPost {
    private static final MediaType JSON = MediaType.get("application/json; charset=utf-8");
    private static final int LARGEST_REPLY = 64 * 1024;
    /** Shorter parts of an address are words such as "services", not secrets. */
    private static final int SHORTEST_SECRET = 9;

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final Duration WAIT_AFTER_429 = Duration.ofSeconds(30);

    private final OkHttpClient client;
    private final InstantSource clock;

    private HttpPost(OkHttpClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    public static HttpPost create(InstantSource clock) {
        return create(clock, Duration.ofSeconds(10));
    }

    static HttpPost create(InstantSource clock, Duration limit) {
        OkHttpClient client = new OkHttpClient.Builder()
                .callTimeout(limit)
                .connectTimeout(limit)
                .readTimeout(limit)
                .writeTimeout(limit)
                .followRedirects(false)
                .followSslRedirects(false)
                // Neither sent twice behind our back nor over a connection that died while idle.
                .retryOnConnectionFailure(false)
                .connectionPool(new ConnectionPool(0, 1, TimeUnit.SECONDS))
                .build();
        return new HttpPost(client, clock);
    }

    public InstantSource clock() {
        return clock;
    }

    /**
     * What a service answered.
     *
     * @param status the HTTP status, not 3xx, 429 or 5xx
     * @param body its first 64 KiB; null when it broke off
     */
    public record Reply(int status, @Nullable String body) {
        /** Fit for a sentence: one line, short. */
        public String gist() {
            return body == null ? "" : Message.cut(Message.oneLine(Message.cut(body, 1000)), 200);
        }
    }

    /** Posts once. The message's id goes along as {@code Idempotency-Key}. */
    public Delivery json(
            HttpUrl url, byte[] body, Message message, Map<String, String> headers, Function<Reply, Delivery> judge) {
        Request.Builder builder = new Request.Builder()
                .url(url)
                .header("User-Agent", "onset")
                .header("Idempotency-Key", message.id().replaceAll("[^A-Za-z0-9/._:-]", "_"))
                .post(RequestBody.create(body, JSON));
        headers.forEach(builder::header);
        Request request = builder.build();
        Delivery delivery = send(request, judge);
        return delivery.fold(
                delivered -> new Delivery.Delivered(withoutSecrets(request, delivered.note())),
                refused -> new Delivery.Refused(withoutSecrets(request, refused.reason())),
                retry -> new Delivery.Retry(withoutSecrets(request, retry.reason()), retry.after(), retry.retries()));
    }

    private Delivery send(Request request, Function<Reply, Delivery> judge) {
        try (Response response = client.newCall(request).execute()) {
            return judge(response, judge);
        } catch (IOException e) {
            String host = request.url().host();
            String why = Message.cut(Message.oneLine(String.valueOf(e.getMessage())), 200);
            return Delivery.retry("no answer from " + host + ": " + why, host + " 没有应答：" + why);
        }
    }

    private Delivery judge(Response response, Function<Reply, Delivery> judge) {
        int status = response.code();
        if (status == 429) {
            Duration after = retryAfter(response);
            return Delivery.retry(
                    "too many requests (HTTP 429)", "请求过于频繁（HTTP 429）", after.isZero() ? WAIT_AFTER_429 : after);
        }
        if (status >= 500) {
            return Delivery.retry("the service failed: HTTP " + status, "对方服务出错：HTTP " + status, retryAfter(response));
        }
        if (status >= 300 && status < 400) {
            return Delivery.refused(
                    "HTTP " + status + " redirects elsewhere, which is not followed: configure the final address",
                    "HTTP " + status + " 要求跳转，不会跟随：请直接配置最终地址");
        }
        return judge.apply(new Reply(status, body(response)));
    }

    private static @Nullable String body(Response response) {
        try (ResponseBody body = response.peekBody(LARGEST_REPLY)) {
            return body.string();
        } catch (IOException e) {
            return null;
        }
    }

    private Duration retryAfter(Response response) {
        String header = response.header("Retry-After");
        if (header == null) {
            return Duration.ZERO;
        }
        Duration asked =
                header.strip().matches("\\d{1,9}") ? Duration.ofSeconds(Long.parseLong(header.strip())) : until(header);
        return asked.isNegative() ? Duration.ZERO : asked.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : asked;
    }

    private Duration until(String date) {
        try {
            ZonedDateTime when = ZonedDateTime.parse(date.strip(), DateTimeFormatter.RFC_1123_DATE_TIME);
            return Duration.between(clock.instant(), when.toInstant());
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }

    /** An error or an answer may quote the address or a header, and those are the secrets. */
    private static Text withoutSecrets(Request request, Text text) {
        return new Text(withoutSecrets(request, text.en()), withoutSecrets(request, text.zh()));
    }

    private static String withoutSecrets(Request request, String text) {
        HttpUrl url = request.url();
        Stream<String> path = Stream.concat(url.pathSegments().stream(), url.encodedPathSegments().stream());
        Stream<String> query = url.queryParameterNames().stream()
                .flatMap(name -> url.queryParameterValues(name).stream())
                .filter(Objects::nonNull);
        Stream<String> bearer = request.headers("Authorization").stream().map(value -> value.replace("Bearer ", ""));
        String clean = text;
        for (String secret : Stream.of(path, query, bearer).flatMap(s -> s).toList()) {
            clean = secret.length() < SHORTEST_SECRET ? clean : clean.replace(secret, "***");
        }
        return clean;
    }
}
