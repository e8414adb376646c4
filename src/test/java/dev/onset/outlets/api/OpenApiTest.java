package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.onset.diagnoses.Mark;
import dev.onset.diagnoses.State;
import dev.onset.rules.Confidence;
import dev.onset.rules.Remedy;
import dev.onset.rules.RuleCard;
import dev.onset.rules.Severity;
import dev.onset.signals.Moment;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Unit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The document says what is served, and everything that it says is served. */
@SpringBootTest(classes = PagePreview.class)
@AutoConfigureMockMvc
@DirtiesContext
class OpenApiTest {
    private static final String SCHEMAS = "#/components/schemas/";

    @Autowired
    private MockMvc mvc;

    @Autowired
    @Qualifier("requestMappingHandlerMapping")
    private RequestMappingHandlerMapping mappings;

    private Map<String, Object> document = Map.of();
    private final JsonMapper json = JsonMapper.builder().build();

    @BeforeEach
    void read() throws IOException {
        try (InputStream file = Objects.requireNonNull(OpenApiTest.class.getResourceAsStream("/static/openapi.yaml"))) {
            document = new Yaml().load(file);
        }
    }

    @Test
    void every_path_and_method_is_in_both() {
        Set<String> served = mappings.getHandlerMethods().keySet().stream()
                .flatMap(info -> info.getPatternValues().stream()
                        .filter(path -> path.startsWith("/api/"))
                        .flatMap(path -> info.getMethodsCondition().getMethods().stream()
                                .map(method -> method.name().toLowerCase(Locale.ROOT) + " " + path)))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> documented = new TreeSet<>();
        map(document, "paths")
                .forEach((path, methods) ->
                        asMap(methods).keySet().forEach(method -> documented.add(method + " " + path)));
        assertThat(documented).isEqualTo(served);
    }

    @Test
    void every_field_of_a_diagnosis_is_in_both() throws Exception {
        compare("Diagnosis", ask("/api/v1/diagnoses/d7k2m9qa"));
        // The recorded one has events, the hostile one has no repetition.
        compare("Diagnosis", ask("/api/v1/diagnoses/d3x8r1pc"));
        compare("Diagnosis", ask("/api/v1/diagnoses/dhostile"));
    }

    @Test
    void every_field_of_the_lists_is_in_both() throws Exception {
        ask("/api/v1/diagnoses").forEach(row -> compare("DiagnosisRow", row));
        ask("/api/v1/rules").forEach(row -> compare("Rule", row));
        JsonNode marks = ask("/api/v1/diagnoses/dhostile/marks");
        assertThat(marks).isNotEmpty();
        marks.forEach(row -> compare("Mark", row));
    }

    @Test
    void every_field_of_the_status_is_in_both() throws Exception {
        compare("Status", ask("/api/v1/status"));
    }

    @Test
    void every_field_of_the_pages_is_in_both() throws Exception {
        compare("Targets", ask("/api/v1/targets?limit=2"));
        compare("Scopes", ask("/api/v1/scopes?limit=2"));
    }

    @Test
    void every_field_of_why_is_in_both() throws Exception {
        compare("Why", ask("/api/v1/why?kind=job&group=train-a&id=train-a"));
    }

    @Test
    void every_field_of_a_timeline_is_in_both() throws Exception {
        Instant to = Instant.ofEpochMilli(PagePreview.NOW);
        compare(
                "Series",
                ask("/api/v1/timeline?kind=job&group=train-a&id=train-a&from=" + to.minusSeconds(3600) + "&to=" + to));
    }

    @Test
    void every_field_of_a_tick_and_of_a_mark_to_add_is_in_both() {
        compare("Tick", json.valueToTree(new Changes.TickJson("2026-12-01T00:00:00.000Z", List.of("d1"))));
        compare("NewMark", json.valueToTree(new DiagnosesApi.MarkBody("note", "lin", "seen", "2026-12-01T00:00:00Z")));
    }

    @Test
    void a_problem_has_only_documented_fields() throws Exception {
        JsonNode problem = ask("/api/v1/diagnoses?limit=0");
        assertThat(properties(schema("Problem")).keySet()).containsAll(problem.propertyNames());
    }

    @Test
    void every_value_of_an_enumeration_is_in_both() {
        assertThat(values("MarkKind")).isEqualTo(names(Mark.Kind.values(), Ask::camel));
        assertThat(values("Unit")).isEqualTo(names(Unit.values(), Json::lower));
        assertThat(values("DiagnosisRow", "state")).isEqualTo(names(State.values(), Json::lower));
        assertThat(values("Diagnosis", "severity")).isEqualTo(names(Severity.values(), Enum::name));
        assertThat(values("Diagnosis", "confidence")).isEqualTo(names(Confidence.values(), Json::lower));
        assertThat(values("Scope", "kind")).isEqualTo(names(ScopeKind.values(), Json::lower));
        assertThat(values("Rule", "family")).isEqualTo(names(RuleCard.Family.values(), Json::lower));
        assertThat(values("Target", "kind")).isEqualTo(names(SourceKind.values(), Json::lower));
        assertThat(values("Moment", "kind")).isEqualTo(names(Moment.Kind.values(), Json::lower));
        assertThat(values("Remedy", "kind")).isEqualTo(names(Remedy.Kind.values(), Json::lower));
    }

    private JsonNode ask(String path) throws Exception {
        byte[] body = mvc.perform(get(path)).andReturn().getResponse().getContentAsByteArray();
        return json.readTree(new String(body, StandardCharsets.UTF_8));
    }

    private void compare(String name, JsonNode served) {
        compare(name, schema(name), served);
    }

    private void compare(String where, Map<String, Object> schema, JsonNode served) {
        Map<String, Object> resolved = resolve(schema);
        if (served.isNull()) {
            assertThat(String.valueOf(schema))
                    .as("%s is null, so the document must allow null", where)
                    .contains("null");
        } else if (served.isArray()) {
            served.forEach(item -> compare(where + "[]", map(resolved, "items"), item));
        } else if (served.isObject()) {
            Map<String, Object> properties = properties(resolved);
            assertThat(new TreeSet<>(served.propertyNames()))
                    .as("fields of %s", where)
                    .isEqualTo(new TreeSet<>(properties.keySet()));
            properties.forEach((field, type) -> compare(where + "." + field, asMap(type), served.get(field)));
        } else {
            assertThat(types(resolved)).as("type of %s", where).contains(type(served));
        }
    }

    private static Set<String> types(Map<String, Object> schema) {
        Object type = schema.get("type");
        Set<String> types = type instanceof List<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.toCollection(TreeSet::new))
                : new TreeSet<>(Set.of(String.valueOf(type)));
        if (types.contains("number")) {
            types.add("integer");
        }
        return types;
    }

    private static String type(JsonNode value) {
        if (value.isBoolean()) {
            return "boolean";
        }
        return value.isIntegralNumber() ? "integer" : value.isNumber() ? "number" : "string";
    }

    private Map<String, Object> resolve(Map<String, Object> schema) {
        if (schema.get("oneOf") instanceof List<?> several) {
            return resolve(asMap(several.get(0)));
        }
        return schema.get("$ref") instanceof String reference ? schema(reference.substring(SCHEMAS.length())) : schema;
    }

    private Map<String, Object> schema(String name) {
        return map(map(map(document, "components"), "schemas"), name);
    }

    private Set<String> values(String schema) {
        return enumeration(schema(schema));
    }

    private Set<String> values(String schema, String field) {
        return enumeration(map(properties(schema(schema)), field));
    }

    private static Set<String> enumeration(Map<String, Object> schema) {
        return ((List<?>) Objects.requireNonNull(schema.get("enum")))
                .stream().map(String::valueOf).collect(Collectors.toCollection(TreeSet::new));
    }

    private static <E extends Enum<E>> Set<String> names(E[] values, java.util.function.Function<E, String> name) {
        return Arrays.stream(values).map(name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, Object> properties(Map<String, Object> schema) {
        return map(schema, "properties");
    }

    private static Map<String, Object> map(Map<String, Object> parent, String key) {
        return asMap(Objects.requireNonNull(parent.get(key), key));
    }

    @SuppressWarnings("unchecked") // a YAML mapping
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }
}
