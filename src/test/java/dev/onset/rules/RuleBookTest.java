package dev.onset.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Bound;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Says what is missing for a rule to be complete: docs/add-a-rule.md lists the same. */
class RuleBookTest {
    private static final Path DOCS = Path.of("docs/rules");
    private static final List<String> LANGUAGES = List.of(".md", ".zh.md");
    private static final List<String> STORIES = List.of("fires", "stays-quiet", "unsure");

    static List<Named<Rule>> rules() {
        return RuleBook.RULES.stream()
                .map(rule -> Named.of(rule.card().id(), rule))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void has_everything_that_a_rule_needs(Rule rule) throws IOException {
        String id = rule.card().id();
        List<String> missing = new ArrayList<>();
        for (String story : STORIES) {
            Path trace = RuleTraceTest.TRACES.resolve(id).resolve(story + ".trace");
            if (!Files.isRegularFile(trace)) {
                missing.add(trace.toString());
            }
        }
        for (String language : LANGUAGES) {
            Path page = DOCS.resolve(id + language);
            if (!Files.isRegularFile(page) || !Files.readString(page).startsWith("# `" + id + "`\n")) {
                missing.add(page + ", which begins with \"# `" + id + "`\"");
            }
            Path index = DOCS.resolve("README" + language);
            if (!Files.readString(index).contains("](" + id + language + ")")) {
                missing.add("a line in " + index);
            }
        }
        assertThat(missing).as("missing for " + id).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void can_be_found_by_what_one_sees(Rule rule) throws IOException {
        for (String language : LANGUAGES) {
            assertThat(Files.readString(Path.of("docs/symptoms" + language)))
                    .contains("(rules/" + rule.card().id() + language + ")");
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void its_pages_name_every_bound(Rule rule) throws IOException {
        for (String language : LANGUAGES) {
            String page = Files.readString(DOCS.resolve(rule.card().id() + language));
            assertThat(rule.bounds())
                    .extracting(bound -> "`" + bound.name() + "`")
                    .allMatch(
                            page::contains,
                            "stands in docs/rules/" + rule.card().id() + language);
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void is_one_class_of_its_own_and_nobody_else_s_business(Rule rule) {
        int modifiers = rule.getClass().getModifiers();
        assertThat(Modifier.isFinal(modifiers)).isTrue();
        assertThat(Modifier.isPublic(modifiers)).isFalse();
        assertThat(rule.card().id()).matches("[a-z]+(-[a-z]+)+");
        assertThat(rule.card().title().en()).isNotBlank();
        assertThat(rule.card().title().zh()).isNotBlank();
        assertThat(rule.card().needs())
                .as("without inputs it could never be unsure")
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void lists_every_bound_under_its_own_name(Rule rule) throws IllegalAccessException {
        List<Bound> declared = new ArrayList<>();
        for (Field field : rule.getClass().getDeclaredFields()) {
            if (field.getType() == Bound.class) {
                field.setAccessible(true);
                declared.add((Bound) field.get(null));
            }
        }
        assertThat(rule.bounds()).containsExactlyInAnyOrderElementsOf(declared);
        assertThat(rule.bounds())
                .allSatisfy(
                        bound -> assertThat(bound.rule()).isEqualTo(rule.card().id()))
                .allSatisfy(bound -> assertThat(bound.name()).matches("[a-z]+(-[a-z]+)*"))
                .extracting(Bound::name)
                .doesNotHaveDuplicates();
    }

    @Test
    void ids_are_unique() {
        assertThat(RuleBook.RULES).extracting(rule -> rule.card().id()).doesNotHaveDuplicates();
        assertThat(new RuleBook().cards()).hasSameSizeAs(RuleBook.RULES);
    }

    @Test
    void every_trace_and_every_page_belongs_to_a_rule() throws IOException {
        List<String> ids = RuleBook.RULES.stream().map(rule -> rule.card().id()).toList();
        try (Stream<Path> folders = Files.list(RuleTraceTest.TRACES)) {
            assertThat(folders.map(folder -> String.valueOf(folder.getFileName()))
                            .toList())
                    .isSubsetOf(ids);
        }
        try (Stream<Path> pages = Files.list(DOCS)) {
            assertThat(pages.map(page -> String.valueOf(page.getFileName()).replaceFirst("(\\.zh)?\\.md$", ""))
                            .filter(name -> !name.equals("README"))
                            .toList())
                    .isSubsetOf(ids);
        }
    }
}
