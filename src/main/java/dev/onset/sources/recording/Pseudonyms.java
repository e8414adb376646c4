package dev.onset.sources.recording;

import dev.onset.sources.Answer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Replaces the names in a recording, the same name by the same pseudonym, so that joins by host and volume still hold.
 * Names are learnt where they are certain (addresses, labels, the mount's settings) and then replaced wherever they stand.
 */
final class Pseudonyms {
    private static final Pattern LABEL = Pattern.compile(
            "\\b(instance|exported_instance|[Hh]ostname|host|node|nodename|domainname|vol_name|mp|mountpoint|pod|exported_pod"
                    + "|container|namespace|exported_namespace)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern IPV4 = Pattern.compile("(?<![\\w.])(?:\\d{1,3}\\.){3}\\d{1,3}(?![\\w.])");
    private static final Pattern PATH_LINE = Pattern.compile("(?m)^(executable|config_file|master_host):(\\S+)");
    /** The kernel's own mount points and file systems say nothing about anybody. */
    private static final Pattern COMMON = Pattern.compile(
            "|/|/(boot|dev|proc|sys)(/.*)?|/(run|tmp|var|home|root|etc|usr)|localhost|\\(none\\)|127\\.0\\.0\\.1|0\\.0\\.0\\.0|::1");

    private static final Pattern PART = Pattern.compile("[/:]|[^/:]+");
    private static final Pattern COMMON_PART = Pattern.compile(
            "mnt|data|cache|jfscache|var|lib|opt|srv|run|tmp|home|etc|usr|bin|dev|media|nvme\\d*|disk\\d*|redis(-server)?");

    /** Keys of a mount's settings whose values are names. */
    private static final Map<String, String> SETTINGS = Map.of(
            "Name", "volume",
            "MountPoint", "path",
            "Mountpoint", "path",
            "CacheDir", "path",
            "Bucket", "bucket",
            "UUID", "uuid",
            "FsName", "fs",
            "Subdir", "path",
            "CommPath", "path",
            "StatePath", "path");

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Beyond it somebody sends made-up names: those get no number of their own. */
    private static final int NAME_LIMIT = 20_000;

    /** Hosts, volumes, paths and addresses: replaced wherever they stand. */
    private final Map<String, String> names = new HashMap<>();
    /** What is replaced only where it was found: parts of paths, arguments, pods. */
    private final Map<String, String> others = new HashMap<>();

    private final Set<String> pseudonyms = new HashSet<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private @Nullable Pattern anyName;
    private @Nullable Pattern telltaleName;

    String host(String host) {
        return host.isEmpty() ? host : machine(host);
    }

    String group(String group) {
        return learn("job", group);
    }

    /** The port tells the kind of exporter, so it stays. */
    String address(String address) {
        Matcher parts =
                Pattern.compile("((?:https?://)?)([^/?]*?)(:\\d+)?([/?].*)?").matcher(address);
        if (!parts.matches()) {
            return learn("address", address);
        }
        String port = parts.group(3) == null ? "" : parts.group(3);
        String path = parts.group(4) == null ? "" : parts.group(4);
        return parts.group(1) + machine(parts.group(2)) + port + (path.isEmpty() ? "" : "/…");
    }

    String body(Answer.Kind kind, String body) {
        return switch (kind) {
            case METRICS -> knownIn(LABEL.matcher(body).replaceAll(this::label), telltale());
            case MOUNT_CONFIG -> tree(body, this::settings);
            case SLOWLOG -> tree(body, this::slowCommands);
            case INFO ->
                known(PATH_LINE
                        .matcher(body)
                        .replaceAll(line -> Matcher.quoteReplacement(line.group(1) + ":"
                                + (line.group(1).equals("master_host")
                                        ? machine(line.group(2))
                                        : path(line.group(2))))));
            case LATENCY, PING -> body;
            case CONFIG -> tree(body, this::redisSettings);
        };
    }

    /** Replaces the names learnt so far, and every IP address. */
    String known(String text) {
        return knownIn(text, any());
    }

    private String knownIn(String text, Pattern pattern) {
        String result = pattern.matcher(text).replaceAll(this::pseudonym);
        return IPV4.matcher(result).replaceAll(address -> machine(address.group()));
    }

    private String label(MatchResult label) {
        String value = label.group(2);
        String key = label.group(1);
        String replaced;
        switch (key) {
            case "vol_name" -> replaced = learn("volume", value);
            case "mp", "mountpoint" -> replaced = path(value);
            case "instance", "exported_instance" -> replaced = address(value);
            case "hostname", "Hostname", "host", "node", "nodename" -> replaced = machine(value);
            default -> replaced = other(key.replace("exported_", ""), value);
        }
        return Matcher.quoteReplacement(key + "=\"" + replaced + "\"");
    }

    /** The short and the long name of a machine keep their likeness: {@code host-1} and {@code host-1.example}. */
    private String machine(String name) {
        if (COMMON.matcher(name).matches() || pseudonyms.contains(name)) {
            return name;
        }
        if (IPV4.matcher(name).matches()) {
            String known = names.get(name);
            int number = known == null ? counts.merge("ip", 1, Integer::sum) : 0;
            return known == null ? remember(name, "10.99." + number / 250 % 250 + "." + (number % 250 + 1)) : known;
        }
        int dot = name.indexOf('.');
        if (dot <= 0) {
            return learn("host", name);
        }
        String known = names.get(name);
        return known != null ? known : remember(name, learn("host", name.substring(0, dot)) + ".example");
    }

    /** Part by part, so that what lies inside another folder still does; several paths are separated by colons. */
    private String path(String path) {
        if (COMMON.matcher(path).matches() || pseudonyms.contains(path)) {
            return path;
        }
        StringBuilder replaced = new StringBuilder();
        Matcher parts = PART.matcher(path);
        while (parts.find()) {
            String part = parts.group();
            boolean keep = part.matches("[/:]") || COMMON_PART.matcher(part).matches();
            replaced.append(keep ? part : other("dir", part));
        }
        return path.contains("/") ? remember(path, replaced.toString()) : replaced.toString();
    }

    private String learn(String kind, String name) {
        if (COMMON.matcher(name).matches() || pseudonyms.contains(name)) {
            return name;
        }
        String known = names.get(name);
        return known != null ? known : remember(name, next(kind));
    }

    private String other(String kind, String name) {
        if (COMMON.matcher(name).matches() || pseudonyms.contains(name)) {
            return name;
        }
        if (others.size() >= NAME_LIMIT) {
            return others.getOrDefault(kind + " " + name, kind + "-x");
        }
        return others.computeIfAbsent(kind + " " + name, each -> {
            String pseudonym = next(kind);
            pseudonyms.add(pseudonym);
            return pseudonym;
        });
    }

    private String next(String kind) {
        return kind + "-" + counts.merge(kind, 1, Integer::sum);
    }

    private String remember(String name, String pseudonym) {
        if (names.size() < NAME_LIMIT) {
            names.put(name, pseudonym);
            pseudonyms.add(pseudonym);
            anyName = null;
            telltaleName = null;
        }
        return pseudonym;
    }

    private Pattern any() {
        Pattern current = anyName == null ? anyOf("") : anyName;
        anyName = current;
        return current;
    }

    /** Names that cannot be mistaken for a label value like {@code read}: a volume may well be called that. */
    private Pattern telltale() {
        Pattern current = telltaleName == null ? anyOf("[-./_0-9]") : telltaleName;
        telltaleName = current;
        return current;
    }

    private Pattern anyOf(String containing) {
        Pattern wanted = Pattern.compile(containing);
        String names = this.names.keySet().stream()
                .filter(name -> name.length() > 3 && wanted.matcher(name).find())
                .sorted((a, b) -> b.length() - a.length())
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        return Pattern.compile(names.isEmpty() ? "(?!)" : "(?<![\\w.-])(?:" + names + ")(?![\\w-])");
    }

    private String pseudonym(MatchResult name) {
        return Matcher.quoteReplacement(names.getOrDefault(name.group(), name.group()));
    }

    /** Changes the tree of a JSON body. */
    @FunctionalInterface
    private interface Change {
        void of(JsonNode tree);
    }

    private String tree(String body, Change change) {
        try {
            JsonNode tree = JSON.readTree(body);
            change.of(tree);
            return known(JSON.writeValueAsString(tree));
        } catch (JacksonException e) {
            return known(body);
        }
    }

    private void settings(JsonNode node) {
        if (!(node instanceof ObjectNode object)) {
            return;
        }
        for (String key : List.copyOf(object.propertyNames())) {
            String kind = SETTINGS.get(key);
            if (object.get(key) instanceof StringNode text) {
                if (kind != null && !text.stringValue().isEmpty()) {
                    object.put(key, kind.equals("path") ? path(text.stringValue()) : learn(kind, text.stringValue()));
                }
            } else {
                settings(object.get(key));
            }
        }
    }

    private void redisSettings(JsonNode node) {
        if (node instanceof ObjectNode object && object.get("dir") instanceof StringNode dir) {
            object.put("dir", path(dir.stringValue()));
        }
    }

    /** What was done stays, on which keys does not. */
    private void slowCommands(JsonNode node) {
        for (JsonNode entry : node) {
            if (entry instanceof ArrayNode fields
                    && fields.size() > 3
                    && fields.get(3) instanceof ArrayNode arguments) {
                for (int i = 1; i < arguments.size(); i++) {
                    arguments.set(
                            i,
                            StringNode.valueOf(
                                    other("argument", arguments.get(i).asString(""))));
                }
                if (fields.size() > 4) {
                    fields.set(4, StringNode.valueOf(address(fields.get(4).asString(""))));
                }
                if (fields.size() > 5) {
                    fields.set(
                            5, StringNode.valueOf(other("client", fields.get(5).asString(""))));
                }
            }
        }
    }
}
