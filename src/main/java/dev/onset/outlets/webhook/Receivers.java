package dev.onset.outlets.webhook;

import dev.onset.diagnoses.Subscriber;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * The configured receivers.
 *
 * @param all in the order of the settings
 * @param externalUrl where people reach this Onset, without a slash at the end; empty when not configured
 */
public record Receivers(List<Configured> all, String externalUrl) {
    private static final String KEY = "onset.receivers";
    private static final List<String> COMMON = List.of("name", "type", "lang", "min-severity");

    public Receivers {
        all = List.copyOf(all);
    }

    /** A receiver with what the outbox must know of it. */
    public record Configured(ReceiverSettings settings, Receiver receiver, Pace pace) {}

    /** For whom the store queues messages. */
    public List<Subscriber> subscribers() {
        return all.stream()
                .map(one -> new Subscriber(one.settings().name(), one.settings().minSeverity()))
                .toList();
    }

    /**
     * Makes the receivers that the settings name.
     *
     * @throws IllegalArgumentException when a setting is wrong, naming the key, the value and what is allowed
     */
    public static Receivers from(WebhookSettings settings, HttpPost http) {
        if (settings.receivers().isEmpty()) {
            return new Receivers(List.of(), settings.externalUrl()); // the scan below takes a tenth of the start
        }
        Map<String, ReceiverType<?>> types = types();
        List<Configured> all = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < settings.receivers().size(); i++) {
            Entry entry = new Entry(i, settings.receivers().get(i));
            Configured one = configured(entry, entry.type(types), http);
            if (!names.add(one.settings().name())) {
                throw new IllegalArgumentException(
                        one.settings().key("name") + ": '" + one.settings().name() + "' is taken by another receiver");
            }
            all.add(one);
        }
        return new Receivers(all, settings.externalUrl());
    }

    /** What the folders beside this class bring along, found by scanning: a new one needs no entry anywhere. */
    private static Map<String, ReceiverType<?>> types() {
        Map<String, ReceiverType<?>> types = new TreeMap<>();
        try (AnnotationConfigApplicationContext folders =
                new AnnotationConfigApplicationContext(Receivers.class.getPackageName())) {
            folders.getBeansOfType(ReceiverType.class).values().forEach(type -> types.put(type.id(), type));
        }
        return types;
    }

    private static <S extends Record> Configured configured(Entry entry, ReceiverType<S> type, HttpPost http) {
        entry.refuseUnknownKeys(type.settings());
        ReceiverSettings common = ReceiverSettings.of(
                entry.index(), entry.value("name"), type.id(), entry.value("lang"), entry.value("min-severity"));
        try {
            S own = entry.bind(type.settings());
            return new Configured(common, type.create(common, own, http), type.pace());
        } catch (BindException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            throw new IllegalArgumentException(KEY + "[" + entry.index() + "]: " + root.getMessage(), e);
        }
    }

    /** One element of the list as written. */
    private record Entry(int index, Map<String, String> values) {
        <S> S bind(Class<S> type) {
            Map<String, String> prefixed = new TreeMap<>();
            values.forEach((key, value) -> prefixed.put("receiver." + key, value));
            return new Binder(new MapConfigurationPropertySource(prefixed)).bindOrCreate("receiver", Bindable.of(type));
        }

        @Nullable
        String value(String key) {
            return values.entrySet().stream()
                    .filter(entry -> plain(entry.getKey()).equals(plain(key)))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
        }

        ReceiverType<?> type(Map<String, ReceiverType<?>> byId) {
            String id = value("type");
            ReceiverType<?> type = id == null ? null : byId.get(id.toLowerCase(Locale.ROOT));
            if (type == null) {
                throw new IllegalArgumentException(KEY + "[" + index + "].type: "
                        + (id == null ? "missing" : "'" + id + "'") + "; allowed are "
                        + String.join(", ", byId.keySet()));
            }
            return type;
        }

        void refuseUnknownKeys(Class<? extends Record> own) {
            List<String> allowed = Stream.concat(
                            COMMON.stream(),
                            Arrays.stream(own.getRecordComponents())
                                    .map(RecordComponent::getName)
                                    .map(DataObjectPropertyName::toDashedForm))
                    .toList();
            Set<String> plain = allowed.stream().map(Entry::plain).collect(Collectors.toSet());
            for (String key : values.keySet()) {
                if (!plain.contains(plain(key))) {
                    throw new IllegalArgumentException(KEY + "[" + index + "]." + key
                            + ": unknown setting; allowed are " + String.join(", ", allowed));
                }
            }
        }

        /** Settings may be written {@code url-file}, {@code urlFile} or, in the environment, {@code URLFILE}. */
        private static String plain(String key) {
            return key.replaceAll("[-_]|\\[.*", "").toLowerCase(Locale.ROOT);
        }
    }
}
