package dev.onset;

import dev.onset.outlets.webhook.HttpPost;
import dev.onset.outlets.webhook.Receivers;
import dev.onset.outlets.webhook.WebhookSettings;
import dev.onset.rules.RuleBook;
import dev.onset.signals.Bounds;
import dev.onset.sources.settings.MappingSettings;
import dev.onset.sources.settings.SettingsFile;
import dev.onset.sources.settings.SettingsFile.Section;
import dev.onset.sources.settings.SourceSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How to serve: from which settings file, on which address. Options go before the file, the file before defaults. */
record ServeOptions(@Nullable Path config, Map<String, String> overrides, Map<String, String> spring) {
    static final Section<WebhookSettings> RECEIVERS = new Section<>("onset", WebhookSettings.class);
    static final Section<dev.onset.outlets.api.WebSettings> WEB =
            new Section<>("onset.web", dev.onset.outlets.api.WebSettings.class);

    static final Section<dev.onset.outlets.metrics.MetricsSettings> METRICS =
            new Section<>("onset.metrics", dev.onset.outlets.metrics.MetricsSettings.class);

    static final Section<MappingSettings> MAPPINGS = new Section<>("onset", MappingSettings.class);

    /** A settings file that cannot be used. */
    static final class WrongFile extends RuntimeException {
        private final List<String> problems;

        WrongFile(List<String> problems) {
            super(String.join("\n", problems));
            this.problems = List.copyOf(problems);
        }

        List<String> problems() {
            return problems;
        }
    }

    static ServeOptions of(Options options) {
        if (!options.others().isEmpty()) {
            throw new Options.Wrong("unexpected \"" + options.others().get(0) + "\"");
        }
        Map<String, String> overrides = new HashMap<>();
        Map<String, String> spring = new HashMap<>();
        String config = null;
        for (Map.Entry<String, String> option : options.all().entrySet()) {
            String name = option.getKey();
            String value = option.getValue();
            switch (name) {
                case "config", "config.file" -> config = value;
                case "storage.path" -> overrides.put("data", value);
                case "web.listen-address" -> listen(value, spring);
                case "log.level" -> spring.put("logging.level.dev.onset", value);
                case "log.format" -> format(value, spring);
                default -> {
                    if (!name.startsWith("server.") && !name.startsWith("onset.web.") && !name.startsWith("logging.")) {
                        throw new Options.Wrong(
                                "unknown option --" + name
                                        + "; allowed: --config, --storage.path, --web.listen-address, --log.level, --log.format");
                    }
                    spring.put(name, value);
                }
            }
        }
        return new ServeOptions(config == null ? null : Path.of(config), overrides, spring);
    }

    private static void listen(String value, Map<String, String> spring) {
        int colon = value.lastIndexOf(':');
        String port = value.substring(colon + 1);
        if (colon < 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new Options.Wrong("--web.listen-address " + value + ": allowed is HOST:PORT or :PORT");
        }
        spring.put("server.address", colon == 0 ? "0.0.0.0" : value.substring(0, colon));
        spring.put("server.port", port);
    }

    private static void format(String value, Map<String, String> spring) {
        if (value.equals("json")) {
            spring.put("logging.structured.format.console", "ecs");
        } else if (!value.equals("text")) {
            throw new Options.Wrong("--log.format " + value + ": allowed are text, json");
        }
    }

    /** Before anything starts: everything that is wrong with the file, each with its line. */
    void check() {
        if (config != null) {
            List<String> problems = problems(config);
            if (!problems.isEmpty()) {
                throw new WrongFile(problems);
            }
        }
    }

    static List<String> problems(Path file) {
        List<String> problems =
                new ArrayList<>(SettingsFile.problems(file, RuleBook.bounds(), RECEIVERS, WEB, METRICS, MAPPINGS));
        if (problems.isEmpty()) {
            try {
                Receivers.from(SettingsFile.section(file, RECEIVERS), HttpPost.create(Clock.systemUTC()));
            } catch (IllegalArgumentException | SettingsFile.WrongSettings e) {
                problems.add(file + ": " + e.getMessage());
            }
        }
        return problems;
    }

    SourceSettings sources() {
        SourceSettings settings = read().sources();
        String data = overrides.get("data");
        return data == null
                ? settings
                : new SourceSettings(settings.step(), settings.floorScale(), data, settings.groups());
    }

    Bounds bounds() {
        return read().bounds();
    }

    private SettingsFile.Read read() {
        return config == null
                ? new SettingsFile.Read(SourceSettings.defaults(), Bounds.USUAL)
                : SettingsFile.load(config, RuleBook.bounds(), RECEIVERS, WEB, METRICS, MAPPINGS);
    }

    MappingSettings mappings() {
        return config == null ? new MappingSettings(List.of()) : SettingsFile.section(config, MAPPINGS);
    }

    WebhookSettings webhooks() {
        return config == null ? new WebhookSettings("", List.of()) : SettingsFile.section(config, RECEIVERS);
    }

    /** Carried to the composition, which reads them back. */
    Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        if (config != null) {
            properties.put("spring.config.additional-location", config.toUri().toString());
            properties.put("onset.serve.config", config.toString());
        }
        if (overrides.containsKey("data")) {
            properties.put("onset.serve.data", overrides.get("data"));
        }
        return properties;
    }

    List<String> springArguments() {
        return spring.entrySet().stream()
                .map(option -> "--" + option.getKey() + "=" + option.getValue())
                .toList();
    }
}
