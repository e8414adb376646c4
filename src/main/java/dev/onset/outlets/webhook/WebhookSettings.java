package dev.onset.outlets.webhook;

import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who is told, and where people find the page. What a receiver may have depends on its type, so each is a map here and
 * becomes records in {@link Receivers#from}.
 *
 * @param externalUrl where people reach this Onset, for the links in messages; none by default, and then messages have
 *     no link
 * @param receivers one entry a chat or service
 */
@ConfigurationProperties("onset")
public record WebhookSettings(
        @DefaultValue("") String externalUrl, @DefaultValue List<Map<String, String>> receivers) {
    public WebhookSettings {
        receivers = List.copyOf(receivers);
        HttpUrl parsed = HttpUrl.parse(externalUrl.strip());
        if (!externalUrl.isBlank() && (parsed == null || parsed.query() != null || parsed.fragment() != null)) {
            throw new IllegalArgumentException("onset.external-url: '" + externalUrl
                    + "' is not an http:// or https:// address without query, such as https://onset.example.org");
        }
        externalUrl = externalUrl.strip().replaceAll("/+$", "");
    }

    /** Without the values, because addresses are secrets. */
    @Override
    public String toString() {
        return "WebhookSettings[externalUrl=" + externalUrl + ", receivers="
                + receivers.stream().map(receiver -> receiver.get("name")).toList() + "]";
    }
}
