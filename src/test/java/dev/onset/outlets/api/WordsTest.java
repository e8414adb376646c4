package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Signal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The page has words for everything, in both languages. */
class WordsTest {
    private static final Path SCRIPTS = Path.of("src/main/resources/static/app");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\w+}");
    private static final Pattern USED = Pattern.compile("\\b(t|tn)\\(\\s*'([\\w.]+)'");
    private final Map<String, String> en = words("en");
    private final Map<String, String> zh = words("zh");

    @Test
    void both_languages_have_the_same_keys() {
        assertThat(zh.keySet()).isEqualTo(en.keySet());
    }

    @Test
    void both_languages_fill_in_the_same_values() {
        en.forEach((key, text) ->
                assertThat(placeholders(zh.getOrDefault(key, ""))).as(key).isEqualTo(placeholders(text)));
    }

    @Test
    void every_signal_has_a_name() {
        for (Signal signal : Signal.values()) {
            assertThat(en).containsKey("signal." + signal.id());
        }
    }

    @Test
    void every_key_that_the_scripts_name_exists() throws IOException {
        try (Stream<Path> scripts = Files.list(SCRIPTS)) {
            scripts.forEach(script -> {
                Matcher used = USED.matcher(read(script));
                while (used.find()) {
                    assertThat(en).as(script.toString()).containsKey(used.group(2));
                    if (used.group(1).equals("tn")) {
                        assertThat(en).as(script.toString()).containsKey(used.group(2) + ".one");
                    }
                }
            });
        }
    }

    @Test
    void no_script_writes_markup() throws IOException {
        try (Stream<Path> scripts = Files.list(SCRIPTS)) {
            scripts.forEach(script -> assertThat(read(script))
                    .as(script.toString())
                    .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("));
        }
    }

    @Test
    void chinese_has_no_english_punctuation() {
        zh.forEach((key, text) -> assertThat(text).as(key).doesNotContainPattern("[\\u4e00-\\u9fff][,;:!?]"));
    }

    private static Set<String> placeholders(String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = PLACEHOLDER.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }

    private static Map<String, String> words(String lang) {
        try (InputStream file =
                Objects.requireNonNull(WordsTest.class.getResourceAsStream("/static/i18n/" + lang + ".json"))) {
            return new TreeMap<>(
                    JsonMapper.builder().build().readValue(file, new TypeReference<Map<String, String>>() {}));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
