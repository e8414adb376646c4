package dev.onset.sources.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Sample;
import dev.onset.signals.Scrape;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.AnswerReader;
import dev.onset.sources.settings.SettingsFile.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingSettingsTest {
    private static final Section<MappingSettings> SECTION = new Section<>("onset", MappingSettings.class);

    @TempDir
    private Path folder;

    @Test
    void without_mappings_the_standard_dictionary_is_used() throws IOException {
        MappingSettings settings = SettingsFile.section(file("onset:\n  step: 15s\n"), SECTION);
        assertThat(settings).isEqualTo(new MappingSettings(List.of()));
        assertThat(settings.dictionary()).isSameAs(MetricDictionary.STANDARD);
    }

    @Test
    void a_metric_that_nobody_knows_becomes_a_signal_of_the_job() throws IOException {
        Path file = file("""
                onset:
                  mappings:
                    - metric: mlu_utilization
                      signal: accelerator_use
                      scale: 0.01
                      device-label: mlu
                """);
        assertThat(SettingsFile.problems(file, List.of(), SECTION)).isEmpty();
        MappingSettings settings = SettingsFile.section(file, SECTION);
        assertThat(settings.mappings())
                .containsExactly(new MappingSettings.Entry("mlu_utilization", "accelerator_use", 0.01, "mlu"));
        Target target = new Target(SourceKind.ACCELERATOR, "job", "host:1", "host");
        byte[] body = "mlu_utilization{mlu=\"3\"} 42\nmlu_utilization{mlu=\"4\"} 4294967295\n".getBytes(UTF_8);
        Scrape scrape = new AnswerReader(settings.dictionary())
                .read(Answer.of(target, Answer.Kind.METRICS, 1_796_000_000_000L, 0.001, body));
        Scrape.Scraped scraped = (Scrape.Scraped) scrape;
        assertThat(scraped.samples())
                .filteredOn(sample -> sample.signal() == Signal.ACCELERATOR_USE)
                .extracting(Sample::part, Sample::value)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("host/3", 0.42));
        assertThat(scraped.faults()).hasSize(1);
    }

    @Test
    void a_signal_that_does_not_exist_is_named_with_what_is_allowed() throws IOException {
        Path file = file("onset:\n  mappings:\n    - {metric: x, signal: gpu}\n");
        assertThat(SettingsFile.problems(file, List.of(), SECTION))
                .singleElement()
                .asString()
                .contains("\"gpu\"", "accelerator_use", "thr");
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("onset.yml"), text);
    }
}
