package dev.onset.sources.settings;

import dev.onset.signals.Bound;
import dev.onset.signals.Bounds;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.FileSystemResource;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The settings file. Reads it the way Spring does, and says all that is wrong with it at once: file, line and column,
 * key, value, and what is allowed.
 */
public final class SettingsFile {
    private static final long SIZE_LIMIT = 1 << 20;
    private static final String MUST_BE_LIST = "must be a list: [first, second], or one line with \"- \" for each";
    /** Sections of Spring Boot's own that may stand in the same file; Spring checks them. */
    private static final Set<String> FOREIGN = Set.of("server", "spring", "logging", "management");

    private final Path file;
    private final Set<String> problems = new LinkedHashSet<>();
    private final Set<ConfigurationPropertyName> known = new LinkedHashSet<>();
    private final List<ConfigurationPropertyName> failed = new ArrayList<>();
    private final Collection<Bound> bounds;
    private @Nullable EnumerablePropertySource<?> source;

    private SettingsFile(Path file, Collection<Bound> bounds) {
        this.file = file;
        this.bounds = bounds;
    }

    /**
     * What is watched, and by which bounds it is judged.
     *
     * @param sources what the file says is watched
     * @param bounds what it sets otherwise than usual
     */
    public record Read(SourceSettings sources, Bounds bounds) {}

    /**
     * Settings of another package that stand in the same file.
     *
     * @param prefix {@code onset.receivers}
     * @param type the record bound there
     */
    public record Section<T>(String prefix, Class<T> type) {}

    /** The file cannot be used; the message has one line per problem. */
    public static final class WrongSettings extends RuntimeException {
        private final List<String> problems;

        WrongSettings(List<String> problems) {
            super(String.join(System.lineSeparator(), problems));
            this.problems = List.copyOf(problems);
        }

        public List<String> problems() {
            return problems;
        }
    }

    /**
     * What is wrong with a file; empty when it can be used.
     *
     * @param bounds that it may set
     * @param others sections of other packages in the same file
     */
    public static List<String> problems(Path file, Collection<Bound> bounds, Section<?>... others) {
        SettingsFile read = new SettingsFile(file, bounds);
        read.all(others);
        return List.copyOf(read.problems);
    }

    /**
     * What the file says is watched, and how it is judged.
     *
     * @param bounds that it may set
     * @throws WrongSettings when anything in the file is wrong
     */
    public static Read load(Path file, Collection<Bound> bounds, Section<?>... others) {
        SettingsFile read = new SettingsFile(file, bounds);
        Read settings = read.all(others);
        if (settings == null || !read.problems.isEmpty()) {
            throw new WrongSettings(List.copyOf(read.problems));
        }
        return settings;
    }

    /**
     * One section of another package; check the file as a whole with {@link #problems} first.
     *
     * @throws WrongSettings when this section is wrong
     */
    public static <T> T section(Path file, Section<T> section) {
        SettingsFile read = new SettingsFile(file, List.of());
        T settings = read.open() ? read.bind(section) : null;
        if (settings == null || !read.problems.isEmpty()) {
            throw new WrongSettings(List.copyOf(read.problems));
        }
        return settings;
    }

    private @Nullable Read all(Section<?>... others) {
        if (!open()) {
            return null;
        }
        SourceSettings settings = bind(new Section<>("onset", SourceSettings.class));
        Arrays.stream(others).forEach(this::bind);
        Bounds set = readBounds(settings == null ? List.of() : settings.groups());
        nameUnknownKeys();
        return settings == null ? null : new Read(settings, set);
    }

    private Bounds readBounds(List<GroupSettings> groups) {
        EnumerablePropertySource<?> read = source;
        if (read == null) {
            return Bounds.USUAL;
        }
        BoundSettings set = new BoundSettings(bounds, groups, (name, what) -> problems.add(problem(name, what)));
        for (String key : read.getPropertyNames()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
            if (BoundSettings.isOne(name)) {
                known.add(name);
                set.take(name, read.getProperty(key));
            }
        }
        return set.bounds();
    }

    private boolean open() {
        try {
            if (!Files.isRegularFile(file)) {
                problems.add(file + ": there is no such file");
                return false;
            }
            if (Files.size(file) > SIZE_LIMIT) {
                problems.add(file + ": larger than " + SIZE_LIMIT + " bytes, which no settings file is");
                return false;
            }
            List<PropertySource<?>> documents =
                    new YamlPropertySourceLoader().load(file.toString(), new FileSystemResource(file));
            if (documents.size() > 1) {
                problems.add(file + ": has " + documents.size() + " YAML documents; one is allowed");
                return false;
            }
            if (!documents.isEmpty()) {
                source = (EnumerablePropertySource<?>) documents.get(0);
            }
            return true;
        } catch (MarkedYAMLException e) {
            String at = e.getProblemMark() == null
                    ? ""
                    : ":" + (e.getProblemMark().getLine() + 1) + ":"
                            + (e.getProblemMark().getColumn() + 1);
            problems.add(file + at + ": not YAML: " + oneLine(String.valueOf(e.getProblem())));
        } catch (YAMLException | IllegalStateException e) {
            problems.add(file + ": not YAML: " + oneLine(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            problems.add(file + ": cannot be read: " + oneLine(String.valueOf(e.getMessage())));
        }
        return false;
    }

    private <T> @Nullable T bind(Section<T> section) {
        EnumerablePropertySource<?> read = source;
        Binder binder =
                read == null ? new Binder(List.of()) : new Binder(ConfigurationPropertySources.from(List.of(read)));
        int before = problems.size();
        T bound;
        try {
            bound = binder.bindOrCreate(
                    section.prefix(), Bindable.of(section.type()), new Noting(known, this::refused));
        } catch (RuntimeException e) {
            if (problems.size() == before) {
                problems.add(file + ": " + section.prefix() + ": " + reason(e, section.type()));
            }
            return null;
        }
        if (bound != null && problems.size() == before) {
            validate(section.prefix(), bound);
        }
        return bound;
    }

    /** The innermost failure is told; what fails around it because of it is not. */
    private void refused(ConfigurationPropertyName name, Class<?> type, Exception error) {
        if (failed.stream().noneMatch(name::isAncestorOf)) {
            failed.add(name);
            problems.add(problem(name, reason(error, type)));
        }
    }

    private void validate(String prefix, Object bound) {
        try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
            Validator validator = factory.getValidator();
            // Sorted, because the validator promises no order.
            TreeMap<String, String> found = new TreeMap<>();
            for (ConstraintViolation<Object> violation : validator.validate(bound)) {
                found.put(prefix + "." + kebab(violation.getPropertyPath().toString()), violation.getMessage());
            }
            found.forEach((key, message) -> problems.add(problem(ConfigurationPropertyName.adapt(key, '.'), message)));
        }
    }

    private void nameUnknownKeys() {
        if (source == null) {
            return;
        }
        for (String key : source.getPropertyNames()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
            if (name.isEmpty() || known.contains(name)) {
                continue;
            }
            String first = name.getElement(0, ConfigurationPropertyName.Form.UNIFORM);
            if (!first.equals("onset")) {
                if (!FOREIGN.contains(first)) {
                    problems.add(problem(name, key, "unknown key" + suggestion(first, allTopLevel())));
                }
                continue;
            }
            unknown(name, key);
        }
    }

    /** Names the first part of the key that is not known, with the nearest of its known siblings. */
    private void unknown(ConfigurationPropertyName name, String key) {
        for (int length = 2; length <= name.getNumberOfElements(); length++) {
            ConfigurationPropertyName part = name.chop(length);
            if (known.contains(part)) {
                continue;
            }
            Set<String> siblings = known.stream()
                    .filter(part.getParent()::isParentOf)
                    .map(sibling -> sibling.getLastElement(ConfigurationPropertyName.Form.ORIGINAL))
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            String typed = name.getElement(length - 1, ConfigurationPropertyName.Form.ORIGINAL);
            if (part.isLastElementIndexed()) {
                if (failed.isEmpty()) {
                    problems.add(problem(name, key, part.getParent() + " is not a list"));
                }
                // Otherwise: the binder leaves a list at the first entry that fails.
            } else if (siblings.stream().anyMatch(sibling -> sibling.equals("0"))) {
                problems.add(problem(name, key, part.getParent() + " " + MUST_BE_LIST));
            } else if (!siblings.isEmpty()) {
                problems.add(problem(name, key, "unknown key" + suggestion(typed, siblings)));
            } else if (failed.isEmpty()) {
                // Behind a failure the binder stops looking, so what it did not see is not unknown.
                problems.add(problem(name, key, "unknown key; nothing is allowed below " + part.getParent()));
            }
            return;
        }
    }

    private static Set<String> allTopLevel() {
        Set<String> all = new LinkedHashSet<>(List.of("onset"));
        FOREIGN.stream().sorted().forEach(all::add);
        return all;
    }

    private String problem(ConfigurationPropertyName name, String what) {
        String key = keyOf(name);
        if (key != null) {
            return problem(name, key, what);
        }
        // A key that is missing is shown where its section begins.
        String inside = null;
        for (ConfigurationPropertyName at = name; inside == null && !at.isEmpty(); at = at.getParent()) {
            inside = firstKeyInside(at);
        }
        return file + (inside == null ? "" : place(inside)) + ": " + name + ": " + what;
    }

    private String problem(ConfigurationPropertyName name, String key, String what) {
        Object value = source == null ? null : source.getProperty(key);
        String shown = value == null || value.toString().isEmpty() ? "" : " = \"" + shown(key, value.toString()) + "\"";
        return file + place(key) + ": " + name + shown + ": " + what;
    }

    private @Nullable String keyOf(ConfigurationPropertyName name) {
        return source == null
                ? null
                : Arrays.stream(source.getPropertyNames())
                        .filter(key -> ConfigurationPropertyName.adapt(key, '.').equals(name))
                        .findFirst()
                        .orElse(null);
    }

    private @Nullable String firstKeyInside(ConfigurationPropertyName name) {
        return source == null
                ? null
                : Arrays.stream(source.getPropertyNames())
                        .filter(key -> name.isAncestorOf(ConfigurationPropertyName.adapt(key, '.')))
                        .findFirst()
                        .orElse(null);
    }

    private String place(String key) {
        return OriginLookup.getOrigin(source, key) instanceof TextResourceOrigin origin && origin.getLocation() != null
                ? ":" + (origin.getLocation().getLine() + 1) + ":"
                        + (origin.getLocation().getColumn() + 1)
                : "";
    }

    /** A secret typed where none belongs must not travel on in an error message. */
    private static String shown(String key, String value) {
        String lower = key.toLowerCase(Locale.ROOT);
        if (value.contains("@")
                || List.of("password", "secret", "token").stream().anyMatch(lower::contains)) {
            return "(hidden)";
        }
        return oneLine(value);
    }

    private static String reason(Throwable error, Class<?> type) {
        if (type == java.time.Duration.class) {
            return "not a duration; allowed are forms like 15s, 500ms, 1m";
        }
        if (type == double.class || type == int.class || type == long.class) {
            return "not a number";
        }
        if (type == boolean.class) {
            return "must be true or false";
        }
        Throwable cause = error;
        if (List.class.isAssignableFrom(type) && innermost(error) instanceof ConverterNotFoundException) {
            return MUST_BE_LIST;
        }
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
            if (cause.getClass() == IllegalArgumentException.class) {
                // What our own records say; what lies below is how a library said it.
                break;
            }
        }
        return oneLine(String.valueOf(cause.getMessage()));
    }

    private static Throwable innermost(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }

    static String suggestion(String typed, Set<String> allowed) {
        String nearest = "";
        int best = Math.max(2, typed.length() / 3) + 1;
        for (String candidate : allowed) {
            int distance = candidate.startsWith(typed) ? 1 : distance(typed.toLowerCase(Locale.ROOT), candidate);
            if (distance < best) {
                best = distance;
                nearest = candidate;
            }
        }
        String meant = nearest.isEmpty() ? "" : ", did you mean \"" + nearest + "\"?";
        return meant + (meant.isEmpty() ? "; allowed are " : " Allowed are ") + String.join(", ", allowed);
    }

    /** Levenshtein's. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[b.length()];
    }

    private static String kebab(String path) {
        return path.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
