package dev.onset.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Gap;
import dev.onset.signals.Identity;
import dev.onset.signals.Scope;
import dev.onset.signals.Scrape;
import dev.onset.signals.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The settings in force on a mount, from its own {@code .config} file, flattened: {@code Chunk.CacheSize}. */
final class MountConfigFacts {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int MAX_FACTS = 400;
    private static final int MAX_VALUE = 400;

    private MountConfigFacts() {}

    static Scrape read(Answer answer, byte[] body) {
        JsonNode config;
        try {
            config = JSON.readTree(new String(body, UTF_8));
        } catch (JacksonException e) {
            return new Scrape.Missed(
                    answer.target(),
                    false,
                    answer.atMillis(),
                    Gap.BAD_ANSWER,
                    new Text(".config is not JSON", ".config 不是 JSON"));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        flatten("", config, facts);
        String volume = facts.getOrDefault("Format.Name", "unknown");
        String mountPoint = facts.getOrDefault("Meta.MountPoint", "unknown");
        String host = ExporterPlan.shortName(
                answer.target().host() != null
                        ? answer.target().host()
                        : facts.getOrDefault("host", answer.target().addressHost()));
        Identity identity = new Identity(
                Scope.mount(answer.target().group(), volume, host, mountPoint),
                host,
                volume,
                mountPoint,
                facts.get("Version"));
        return new Scrape.Scraped(
                answer.target(), false, answer.atMillis(), identity, List.of(), List.of(), List.of(), facts, List.of());
    }

    private static void flatten(String prefix, JsonNode node, Map<String, String> facts) {
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            String key = prefix + entry.getKey();
            if (secret(key) || facts.size() >= MAX_FACTS) {
                continue;
            }
            if (entry.getValue().isObject()) {
                flatten(key + ".", entry.getValue(), facts);
            } else if (entry.getValue().isValueNode()) {
                String value = entry.getValue().asString();
                facts.put(key, value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value);
            }
        }
    }

    private static boolean secret(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        return name.contains("secret")
                || name.contains("accesskey")
                || name.contains("token")
                || name.contains("passphrase");
    }
}
