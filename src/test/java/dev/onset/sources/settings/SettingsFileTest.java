package dev.onset.sources.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.signals.Bound;
import dev.onset.signals.Bounds;
import dev.onset.signals.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileTest {
    @TempDir
    Path folder;

    record Receivers(List<Receiver> receivers) {
        record Receiver(String name, String urlFile) {}
    }

    @Test
    void an_empty_file_means_the_defaults() throws IOException {
        assertThat(load(file("")))
                .isEqualTo(new SourceSettings(Duration.ofSeconds(15), 1.0, "./onset-data", List.of()))
                .isEqualTo(SourceSettings.defaults());
    }

    @Test
    void this_yaml_becomes_exactly_this_record() throws IOException {
        Path file = file("""
                onset:
                  step: 5s
                  floor-scale: 0.1
                  data: /var/lib/onset
                  groups:
                    - job: imagenet
                      juicefs: [gpu-07:9567, {address: "gpu-08:9567", host: gpu-08, gzip: true}]
                      node: [gpu-07:9100]
                      accelerator: ["https://gpu-07:9400/gpu/metrics"]
                      training: gpu-07:8000
                      redis: [{url: "redis://meta-a:6379/1", username: diag, password-file: /run/secrets/redis, discover: true}]
                    - job: bert
                      redis: ["rediss://meta-b"]
                """);

        assertThat(problems(file)).isEmpty();
        assertThat(load(file))
                .isEqualTo(new SourceSettings(
                        Duration.ofSeconds(5),
                        0.1,
                        "/var/lib/onset",
                        List.of(
                                new GroupSettings(
                                        "imagenet",
                                        List.of(
                                                ExporterSettings.of("gpu-07:9567"),
                                                new ExporterSettings("gpu-08:9567", "gpu-08", true)),
                                        List.of(ExporterSettings.of("gpu-07:9100")),
                                        List.of(ExporterSettings.of("https://gpu-07:9400/gpu/metrics")),
                                        List.of(ExporterSettings.of("gpu-07:8000")),
                                        List.of(new RedisSettings(
                                                "redis://meta-a:6379/1", "diag", "/run/secrets/redis", null, true))),
                                new GroupSettings(
                                        "bert",
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(RedisSettings.of("rediss://meta-b"))))));
    }

    @Test
    void a_misspelt_key_is_named_with_its_place_and_the_nearest_known_one() throws IOException {
        Path file = file("""
                onset:
                  stepp: 5s
                  groups:
                    - job: imagenet
                      juicefs:
                        - {adress: "gpu-07:9567", address: "gpu-08:9567"}
                onsett: {step: 5s}
                server.port: 8080
                """);

        assertThat(problems(file))
                .containsExactly(
                        file + ":2:10: onset.stepp = \"5s\": unknown key, did you mean \"step\"?"
                                + " Allowed are step, floor-scale, data, groups",
                        file + ":6:20: onset.groups[0].juicefs[0].adress = \"gpu-07:9567\": unknown key,"
                                + " did you mean \"address\"? Allowed are address, host, gzip",
                        file + ":7:16: onsett.step = \"5s\": unknown key, did you mean \"onset\"?"
                                + " Allowed are onset, logging, management, server, spring");
    }

    @Test
    void wrong_values_are_named_with_what_is_allowed() throws IOException {
        Path file = file("""
                onset:
                  step: soon
                  floor-scale: much
                  groups:
                    - job: imagenet
                      redis: ["http://meta-a:6379"]
                    - job: bert
                """);

        assertThat(problems(file))
                .containsExactly(
                        file + ":2:9: onset.step = \"soon\": not a duration; allowed are forms like 15s, 500ms, 1m",
                        file + ":3:16: onset.floor-scale = \"much\": not a number",
                        file
                                + ":6:15: onset.groups[0].redis[0] = \"http://meta-a:6379\": \"http://meta-a:6379\" is not a"
                                + " Redis URL; allowed are redis://host:port/db and rediss://host:port/db");
    }

    @Test
    void one_wrong_entry_of_a_list_says_nothing_about_those_behind_it() throws IOException {
        Path file = file("""
                onset:
                  groups:
                    - job: imagenet
                      juicefs: ["gpu:x", "gpu-08:9567", {address: "gpu-09:9567", host: gpu-09}]
                      colour: red
                """);

        assertThat(problems(file)).hasSize(2).first().asString().contains("juicefs[0] = \"gpu:x\"");
        assertThat(problems(file)).last().asString().contains("colour = \"red\": unknown key");
    }

    @Test
    void what_must_be_a_list_is_told_so() throws IOException {
        assertThat(problems(file("onset: {groups: [{job: a, node: 5}]}")))
                .singleElement()
                .asString()
                .contains("onset.groups[0].node = \"5\": must be a list");
        assertThat(problems(file("onset: {groups: [{job: a, node: {address: \"x:1\"}}]}")))
                .singleElement()
                .asString()
                .contains("onset.groups[0].node must be a list");
        assertThat(problems(file("onset: {step: [5s]}"))).isNotEmpty();
    }

    @Test
    void bounds_are_checked_and_told() throws IOException {
        Path file = file("""
                onset:
                  step: 2s
                  floor-scale: 0
                  groups:
                    - job: "no spaces"
                    - juicefs: ["gpu-07:9567"]
                """);

        assertThat(problems(file))
                .containsExactly(
                        file + ":3:16: onset.floor-scale = \"0\": must be between 0.01 and 100",
                        file + ":5:12: onset.groups[0].job = \"no spaces\":"
                                + " must be 1 to 100 letters, digits, '_', '.' or '-'",
                        file + ":6:17: onset.groups[1].job: is missing: every group has a job",
                        file + ":2:9: onset.step = \"2s\": must be between 5s and 60s");
    }

    @Test
    void the_same_job_or_target_twice_is_refused() throws IOException {
        Path jobs = file("onset.groups: [{job: a, node: ['h:1']}, {job: a, node: ['h:2']}]");
        assertThat(problems(jobs)).singleElement().asString().contains("two groups have the job \"a\"");

        Path targets = file("onset.groups: [{job: a, node: ['h:1', 'http://h:1/metrics']}]");
        assertThat(problems(targets)).singleElement().asString().contains("node h:1 stands twice");
    }

    @Test
    void a_password_typed_into_the_file_is_refused_without_repeating_it() throws IOException {
        Path file = file("""
                onset:
                  groups:
                    - job: a
                      redis: [{url: "redis://diag:hunter2@meta-a:6379/1", password: hunter2}]
                      node: ["http://me:hunter2@gpu-07:9100"]
                """);

        assertThat(problems(file))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).doesNotContain("hunter2"))
                .anySatisfy(line -> assertThat(line).contains("use username and password-file or password-env"))
                .anySatisfy(line -> assertThat(line).contains("did you mean \"password-"));
    }

    @Test
    void text_that_is_not_yaml_is_named_with_its_place() throws IOException {
        Path file = file("onset:\n  step: [5s\n");
        assertThat(problems(file)).singleElement().asString().startsWith(file + ":3:1: not YAML: ");
        assertThat(problems(folder.resolve("none.yml")))
                .containsExactly(folder.resolve("none.yml") + ": there is no such file");
        assertThatThrownBy(() -> load(file))
                .isInstanceOf(SettingsFile.WrongSettings.class)
                .hasMessageStartingWith(file.toString());
    }

    @Test
    void another_package_adds_its_section_to_the_same_file() throws IOException {
        Path file = file("""
                onset:
                  receivers:
                    - {name: ops, url-file: /run/secrets/hook}
                    - {name: dev, urll-file: /run/secrets/hook}
                """);
        SettingsFile.Section<Receivers> section = new SettingsFile.Section<>("onset", Receivers.class);

        assertThat(problems(file, section))
                .containsExactly(file + ":4:30: onset.receivers[1].urll-file = \"/run/secrets/hook\": unknown key,"
                        + " did you mean \"url-file\"? Allowed are name, url-file");
        assertThat(SettingsFile.section(file, section).receivers())
                .extracting("name")
                .containsExactly("ops", "dev");
        assertThat(problems(file)).isNotEmpty().allMatch(line -> line.contains("unknown key"));
    }

    @Test
    void the_shipped_example_is_right() {
        Path example = Path.of("config", "onset.yml");
        assertThat(problems(example, new SettingsFile.Section<>("onset", Receivers.class)))
                .isEmpty();
        assertThat(load(example, new SettingsFile.Section<>("onset", Receivers.class)))
                .isEqualTo(SourceSettings.defaults());
    }

    @Test
    void the_example_says_every_key() throws IOException {
        String example = Files.readString(Path.of("config", "onset.yml"));
        assertThat(List.of(
                        "step:",
                        "floor-scale:",
                        "data:",
                        "groups:",
                        "job:",
                        "juicefs:",
                        "node:",
                        "accelerator:",
                        "training:",
                        "redis:",
                        "address:",
                        "host:",
                        "gzip:",
                        "url:",
                        "username:",
                        "password-file:",
                        "password-env:",
                        "discover:"))
                .allSatisfy(key -> assertThat(example).contains(key));
    }

    private Path file(String yaml) throws IOException {
        Path file = folder.resolve("onset.yml");
        Files.writeString(file, yaml);
        return file;
    }

    private static final Bound CALM = new Bound("slow-store", "calm-steps", 4, Unit.COUNT);
    private static final Bound SHARE = new Bound("slow-store", "least-share", 0.05, Unit.RATIO);
    private static final Bound WAIT = new Bound("full-disk", "longest-wait", 0.02, Unit.SECONDS);

    @Test
    void bounds_of_rules_hold_for_all_groups_or_for_one() throws IOException {
        Path file = file("""
                onset:
                  rules:
                    slow-store: {calm-steps: 8, least-share: 0.1}
                  groups:
                    - {job: a, node: "h:1", rules: {slow-store: {least-share: 0.2}}}
                    - {job: b, node: "h:1"}
                """);
        assertThat(problems(file)).isEmpty();
        Bounds bounds = SettingsFile.load(file, List.of(CALM, SHARE, WAIT)).bounds();
        assertThat(bounds.of(SHARE, "a")).isEqualTo(0.2);
        assertThat(bounds.of(SHARE, "b")).isEqualTo(0.1);
        assertThat(bounds.of(CALM, "a")).isEqualTo(8);
        assertThat(bounds.of(WAIT, "a")).isEqualTo(0.02);
    }

    @Test
    void a_bound_that_does_not_exist_or_cannot_be_is_named_with_what_is_allowed() throws IOException {
        Path file = file("""
                onset:
                  rules:
                    slow-shop: {calm-steps: 8}
                    slow-store:
                      calm-step: 8
                      calm-steps: 2.5
                      least-share: 20
                    full-disk: {longest-wait: -1}
                  groups:
                    - job: a
                      rules: {full-disk: soon}
                """);
        assertThat(problems(file))
                .containsExactlyInAnyOrder(
                        file
                                + ":3:29: onset.rules.slow-shop.calm-steps = \"8\": there is no rule slow-shop, did you mean"
                                + " \"slow-store\"? Allowed are full-disk, slow-store",
                        file
                                + ":5:18: onset.rules.slow-store.calm-step = \"8\": this rule has no such bound, did you mean"
                                + " \"calm-steps\"? Allowed are calm-steps, least-share",
                        file
                                + ":6:19: onset.rules.slow-store.calm-steps = \"2.5\": must be a whole number, 1 or more; usual"
                                + " is 4",
                        file
                                + ":7:20: onset.rules.slow-store.least-share = \"20\": must be a number from 0 to 1; usual is"
                                + " 0.05",
                        file
                                + ":8:31: onset.rules.full-disk.longest-wait = \"-1\": must be a number, 0 or more, in s; usual"
                                + " is 0.02",
                        file + ":11:26: onset.groups[0].rules.full-disk = \"soon\": must hold bounds of this rule:"
                                + " longest-wait");
    }

    private static List<String> problems(Path file, SettingsFile.Section<?>... others) {
        return SettingsFile.problems(file, List.of(CALM, SHARE, WAIT), others);
    }

    private static SourceSettings load(Path file, SettingsFile.Section<?>... others) {
        return SettingsFile.load(file, List.of(), others).sources();
    }
}
