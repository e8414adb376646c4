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
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

/**
 * The configured receivers.
 *
 * @param all in the order of the settings
 * @param externalUrl where people reach this Onset, without a slash at the end; empty when not configured
 */
public record Receivers(List<Configured> all, String externalUrl) {
    private static final String KEY = "onset.receivers";
    private static final Bindable<List<Map<String, Object>>> ENTRIES = Bindable.of(ResolvableType.forClassWithGenerics(
            List.class, ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class)));
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
     * Reads {@code onset.receivers} and {@code onset.external-url}.
     *
     * @throws IllegalArgumentException when a setting is wrong, naming the key, the value and what is allowed
     */
    public static Receivers from(Binder binder, List<? extends ReceiverType<?>> types, HttpPost http) {
        Map<String, ReceiverType<?>> byId = new TreeMap<>();
        types.forEach(type -> byId.put(type.id(), type));
        List<Map<String, Object>> entries = binder.bind(KEY, ENTRIES).orElse(List.of());
        List<Configured> all = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = new Entry(i, entries.get(i));
            ReceiverType<?> type = entry.type(byId);
            Configured one = configured(entry, type, binder, http);
            if (!names.add(one.settings().name())) {
                throw new IllegalArgumentException(
                        one.settings().key("name") + ": '" + one.settings().name() + "' is taken by another receiver");
            }
            all.add(one);
        }
        return new Receivers(all, externalUrl(binder));
    }

    private static <S extends Record> Configured configured(
            Entry entry, ReceiverType<S> type, Binder binder, HttpPost http) {
        entry.refuseUnknownKeys(type.settings());
        ReceiverSettings common = ReceiverSettings.of(
                entry.index(), entry.value("name"), type.id(), entry.value("lang"), entry.value("min-severity"));
        try {
            S own = binder.bindOrCreate(KEY + "[" + entry.index() + "]", Bindable.of(type.settings()));
            return new Configured(common, type.create(common, own, http), type.pace());
        } catch (BindException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            throw new IllegalArgumentException(e.getName() + ": " + root.getMessage(), e);
        }
    }

    private static String externalUrl(Binder binder) {
        String url = binder.bind("onset.external-url", String.class).orElse("").strip();
        HttpUrl parsed = HttpUrl.parse(url);
        if (!url.isEmpty() && (parsed == null || parsed.query() != null || parsed.fragment() != null)) {
            throw new IllegalArgumentException("onset.external-url: '" + url
                    + "' is not an http:// or https:// address without query, such as https://onset.example.org");
        }
        return url.replaceAll("/+$", "");
    }

    /** One element of the list as written. */
    private record Entry(int index, Map<String, Object> values) {
        @Nullable
        String value(String key) {
            return values.entrySet().stream()
                    .filter(entry -> plain(entry.getKey()).equals(plain(key)))
                    .map(entry -> String.valueOf(entry.getValue()))
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
