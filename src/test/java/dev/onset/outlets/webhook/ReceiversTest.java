package dev.onset.outlets.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.diagnoses.Subscriber;
import dev.onset.rules.Severity;
import dev.onset.sources.settings.SettingsFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

class ReceiversTest {
    @TempDir
    Path folder;

    @Test
    void without_settings_nobody_is_told() throws IOException {
        Receivers receivers = read("onset: {}");

        assertThat(receivers.all()).isEmpty();
        assertThat(receivers.externalUrl()).isEmpty();
    }

    @Test
    void what_is_not_said_is_english_and_s3() throws IOException {
        Receivers receivers = read("""
                onset.receivers:
                  - name: hook
                    type: generic
                    url: http://localhost:9000/in
                """);

        assertThat(receivers.all().get(0).settings())
                .isEqualTo(new ReceiverSettings(0, "hook", "generic", Language.EN, Severity.S3));
        assertThat(receivers.all().get(0).receiver()).hasToString("generic hook at localhost");
    }

    @Test
    void reads_every_setting() throws IOException {
        Path url = Files.writeString(folder.resolve("slack"), "https://hooks.example.org/services/T0/B0/xyz\n");
        Path secret = Files.writeString(folder.resolve("sec"), "SECabc\n");

        Receivers receivers = read("""
                onset:
                  external-url: https://onset.example.org/
                  receivers:
                    - name: ops
                      type: slack
                      url-file: %s
                      lang: zh
                      min-severity: S2
                    - name: night
                      type: dingtalk
                      url: https://oapi.example.org/robot/send?access_token=abc
                      secretFile: %s
                      keyword: 训练
                      min-severity: s1
                """.formatted(url, secret));

        assertThat(receivers.externalUrl()).isEqualTo("https://onset.example.org");
        assertThat(receivers.all())
                .extracting(one -> one.settings())
                .containsExactly(
                        new ReceiverSettings(0, "ops", "slack", Language.ZH, Severity.S2),
                        new ReceiverSettings(1, "night", "dingtalk", Language.EN, Severity.S1));
        assertThat(receivers.subscribers())
                .containsExactly(new Subscriber("ops", Severity.S2), new Subscriber("night", Severity.S1));
        assertThat(receivers.toString()).doesNotContain("xyz", "SECabc", "abc");
    }

    @Test
    void reads_the_environment() {
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of(
                        "ONSET_RECEIVERS_0_NAME", "ops",
                        "ONSET_RECEIVERS_0_TYPE", "slack",
                        "ONSET_RECEIVERS_0_URL", "https://hooks.example.org/x",
                        "ONSET_RECEIVERS_0_MINSEVERITY", "S1")));

        Receivers receivers = read(sources);

        assertThat(receivers.all().get(0).settings())
                .isEqualTo(new ReceiverSettings(0, "ops", "slack", Language.EN, Severity.S1));
    }

    @Test
    void a_wrong_setting_names_the_key_the_value_and_what_is_allowed() {
        assertWrong(
                "{name: ops, type: slak, url: 'http://x'}",
                "onset.receivers[0].type: 'slak'; allowed are dingtalk, generic, slack");
        assertWrong("{name: ops, url: 'http://x'}", "onset.receivers[0].type: missing; allowed are dingtalk");
        assertWrong("{type: slack, url: 'http://x'}", "onset.receivers[0].name: missing; allowed are 1 to 40");
        assertWrong("{name: 'a b', type: slack, url: 'http://x'}", "onset.receivers[0].name: 'a b'; allowed are");
        assertWrong(
                "{name: ops, type: slack, url: 'http://x', lang: fr}",
                "onset.receivers[0].lang: 'fr' is not one of [EN, ZH]");
        assertWrong(
                "{name: ops, type: slack, url: 'http://x', min-severity: S9}",
                "min-severity: 'S9' is not one of [S1, S2, S3, S4]");
        assertWrong(
                "{name: ops, type: slack, url: 'http://x', channel: c}",
                "onset.receivers[0].channel: unknown setting; allowed are name, type, lang, min-severity, url, url-file");
        assertWrong(
                "{name: ops, type: slack}",
                "onset.receivers[0].url: missing; give onset.receivers[0].url or onset.receivers[0].url-file");
        assertWrong(
                "{name: ops, type: slack, url: 'ftp://x/secret'}",
                "onset.receivers[0].url: is not an http:// or https:// address");
        assertWrong(
                "{name: ops, type: slack, url-file: /does/not/exist}",
                "onset.receivers[0].url-file: cannot read /does/not/exist");
        assertWrong("{name: ops, type: slack, url: 'http://x', url-file: /y}", "not both");
    }

    @Test
    void a_wrong_address_is_not_repeated_in_the_error() {
        assertThatThrownBy(() ->
                        read("onset.receivers: [{name: ops, type: slack, url: 'hooks.example.org/services/xyz'}]"))
                .message()
                .doesNotContain("xyz");
    }

    @Test
    void two_receivers_cannot_share_a_name() {
        assertThatThrownBy(() -> read("""
                        onset.receivers:
                          - {name: ops, type: slack, url: 'http://x'}
                          - {name: ops, type: generic, url: 'http://y'}
                        """)).hasMessage("onset.receivers[1].name: 'ops' is taken by another receiver");
    }

    @Test
    void the_external_url_must_be_an_address() {
        assertThatThrownBy(() -> read("onset.external-url: onset.example.org"))
                .rootCause()
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onset.external-url: 'onset.example.org' is not an http:// or https:// address");
    }

    @Test
    void the_settings_file_knows_these_keys_and_reads_them_the_same() throws IOException {
        Path file = Files.writeString(folder.resolve("onset.yml"), """
                onset:
                  step: 15s
                  external-url: http://onset:8080
                  receivers:
                    - {name: ops, type: slack, url: 'http://x/secret', lang: zh}
                """);
        SettingsFile.Section<WebhookSettings> section = new SettingsFile.Section<>("onset", WebhookSettings.class);

        assertThat(SettingsFile.problems(file, List.of(), section)).isEmpty();
        WebhookSettings settings = SettingsFile.section(file, section);
        assertThat(settings.externalUrl()).isEqualTo("http://onset:8080");
        assertThat(settings.receivers().get(0)).containsEntry("lang", "zh");
        assertThat(settings.toString()).doesNotContain("secret").contains("ops");
    }

    private void assertWrong(String receiver, String message) {
        assertThatThrownBy(() -> read("onset.receivers: [" + receiver + "]"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static Receivers read(String yaml) throws IOException {
        MutablePropertySources sources = new MutablePropertySources();
        new YamlPropertySourceLoader()
                .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                .forEach(sources::addLast);
        return read(sources);
    }

    private static Receivers read(MutablePropertySources sources) {
        StandardEnvironment environment = new StandardEnvironment();
        sources.forEach(environment.getPropertySources()::addLast);
        WebhookSettings settings = Binder.get(environment).bindOrCreate("onset", WebhookSettings.class);
        return Receivers.from(settings, HttpPost.create(InstantSource.system()));
    }
}
