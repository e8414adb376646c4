package dev.onset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class ReplayTest {
    private static final TimeAxis AXIS = new TimeAxis(15_000);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"02", "06", "13", "21"})
    void the_same_recording_gives_the_same_diagnoses_to_the_last_digit(String prefix) {
        Labelled recording = Labelled.named(prefix);
        String first = json(recording.replayed(15_000, 0).diagnoses());
        assertThat(json(recording.replayed(15_000, 0).diagnoses())).isEqualTo(first);
        assertThat(first).contains("\"rule\"");
    }

    /** Live, the sources of a step answer in any order, each of them once. */
    @ParameterizedTest
    @ValueSource(strings = {"02", "04", "06", "14", "21", "23"})
    void the_order_in_which_sources_answer_changes_nothing(String prefix) throws RecordingReader.Unreadable {
        Labelled recording = Labelled.named(prefix);
        Map<Long, Map<Target, List<Answer>>> steps = new LinkedHashMap<>();
        Set<String> asked = new HashSet<>();
        recording.reader().read(answer -> {
            long step = AXIS.step(answer.atMillis());
            if (!answer.kind().decidesUp() || asked.add(step + "/" + answer.target() + "/" + answer.kind())) {
                steps.computeIfAbsent(step, s -> new LinkedHashMap<>())
                        .computeIfAbsent(answer.target(), t -> new ArrayList<>())
                        .add(answer);
            }
        });
        Replay replay = new Replay(AXIS, 0, 1, recording.name(), outcome -> {});
        Random random = new Random(7);
        for (Map<Target, List<Answer>> step : steps.values()) {
            List<List<Answer>> sources = new ArrayList<>(step.values());
            Collections.shuffle(sources, random);
            sources.forEach(source -> source.forEach(replay::take));
        }
        replay.finish();
        assertThat(json(replay.diagnoses()))
                .isEqualTo(json(recording.replayed(15_000, 0).diagnoses()));
    }

    @Test
    void what_came_before_a_broken_line_was_judged() throws IOException {
        byte[] whole = Files.readAllBytes(Labelled.named("02").folder().resolve("trace.jsonl.gz"));
        Files.write(folder.resolve("trace.jsonl.gz"), Arrays.copyOf(whole, whole.length * 9 / 10));
        Replay replay = new Replay(AXIS, 0, 1, "cut", outcome -> {});
        assertThatThrownBy(() -> replay.run(RecordingReader.at(folder).get(0)))
                .isInstanceOf(RecordingReader.Unreadable.class)
                .hasMessageContaining("trace.jsonl.gz:");
        assertThat(replay.diagnoses()).extracting(Diagnosis::rule).contains("cache-miss-before-utilisation-drop");
    }

    @Test
    void lines_of_an_unknown_target_or_of_the_past_change_nothing() throws IOException, RecordingReader.Unreadable {
        Files.writeString(folder.resolve("trace.jsonl"), """
                {"t":1796073525157,"source":"juicefs","instance":"a:9567","kind":"metrics","body":"not a metric at all"}
                {"t":1796073545157,"source":"redis","instance":"a:6379","kind":"info","body":""}
                {"t":1796073515157,"source":"redis","instance":"a:6379","kind":"ping","body":"[1,null,\\"x\\",{}]"}
                {"t":1796073505157,"source":"node","instance":"a:9100","kind":"metrics","body":"node_time_seconds 1"}
                {"t":1796073565157,"source":"redis","instance":"a:6379","kind":"slowlog","body":"{\\"a\\":[[]]}"}
                {"t":1796073565157,"source":"redis","instance":"a:6379","kind":"latency","body":"[[1,2],3]"}
                """, UTF_8);
        Replay replay = new Replay(AXIS, 0, 1, "odd", outcome -> {});
        replay.run(RecordingReader.at(folder).get(0));
        assertThat(replay.answers()).isEqualTo(6);
        assertThat(replay.diagnoses()).extracting(Diagnosis::rule).containsOnly("telemetry-gap-or-skew");
    }

    private static String json(Collection<Diagnosis> diagnoses) {
        return JsonMapper.shared().writeValueAsString(diagnoses);
    }
}
