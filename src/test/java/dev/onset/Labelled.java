package dev.onset;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.rules.Severity;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recording with the truth about it.
 *
 * @param folder where it lies
 * @param expect groups of rules; each group is met by any one of its rules
 * @param allow rules that may fire as well
 * @param allowAtS4 rules that may fire as well, as information only
 * @param causeMillis true start of the cause, null where there is none
 * @param effectMillis true start of the effect
 */
record Labelled(
        Path folder,
        List<Set<String>> expect,
        Set<String> allow,
        Set<String> allowAtS4,
        @Nullable Long causeMillis,
        @Nullable Long effectMillis) {
    private static final Path ALL = Path.of("src/test/resources/recordings");

    static List<Labelled> all() {
        try (Stream<Path> folders = Files.list(ALL)) {
            return folders.sorted().map(Labelled::of).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Labelled named(String prefix) {
        return all().stream()
                .filter(recording -> recording.name().startsWith(prefix))
                .findFirst()
                .orElseThrow();
    }

    private static Labelled of(Path folder) {
        JsonNode label = JsonMapper.shared().readTree(folder.resolve("label.json"));
        List<Set<String>> expect = new ArrayList<>();
        label.path("expect").forEach(group -> expect.add(words(group)));
        return new Labelled(
                folder,
                expect,
                words(label.path("allow")),
                words(label.path("allow_at_S4_only")),
                time(label.path("t_cause")),
                time(label.path("t_effect")));
    }

    private static Set<String> words(JsonNode array) {
        Set<String> words = new HashSet<>();
        array.forEach(word -> words.add(word.asString()));
        return words;
    }

    private static @Nullable Long time(JsonNode number) {
        return number.isNumber() ? number.asLong() : null;
    }

    String name() {
        return String.valueOf(folder.getFileName());
    }

    RecordingReader reader() {
        try {
            return RecordingReader.at(folder).get(0);
        } catch (RecordingReader.Unreadable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What a replay said.
     *
     * @param diagnoses each as it stood last
     * @param opened each as it stood when it was first told to people
     */
    record Said(List<Diagnosis> diagnoses, List<Diagnosis> opened) {}

    Said replayed(long stepMillis, long phaseMillis) {
        Map<String, Diagnosis> opened = new LinkedHashMap<>();
        Replay replay = new Replay(new TimeAxis(stepMillis), phaseMillis, 1, name(), outcome -> outcome.changes()
                .forEach(change -> opened.putIfAbsent(change.diagnosis().id(), change.diagnosis())));
        try {
            replay.run(reader());
        } catch (RecordingReader.Unreadable e) {
            throw new IllegalStateException(e);
        }
        return new Said(List.copyOf(replay.diagnoses()), List.copyOf(opened.values()));
    }

    boolean expects(String rule) {
        return expect.stream().anyMatch(group -> group.contains(rule));
    }

    boolean allows(Diagnosis diagnosis) {
        return expects(diagnosis.rule())
                || allow.contains(diagnosis.rule())
                || (allowAtS4.contains(diagnosis.rule()) && diagnosis.finding().severity() == Severity.S4);
    }

    @Override
    public String toString() {
        return name();
    }
}
