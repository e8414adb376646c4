package dev.onset;

import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.State;
import dev.onset.sources.recording.RecordingReader;
import dev.onset.timeline.TimeAxis;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A real incident that ships with the service, judged at start, so that a first look shows more than an empty page. */
final class ShownRecording {
    private static final String RESOURCE = "/recording/trace.jsonl.gz";
    private static final String NAME = "imagenet-recorded";

    private final Tick tick;
    private final Seen seen;
    private final List<Diagnosis> diagnoses;

    private ShownRecording(Replay replay) {
        tick = replay.tick();
        seen = Seen.of(tick, List::of);
        diagnoses = replay.diagnoses().stream()
                .sorted(Comparator.comparingLong(Diagnosis::openedMillis).reversed())
                .toList();
    }

    static ShownRecording shipped() {
        try {
            Path folder = Files.createTempDirectory("onset").resolve(NAME);
            Path file = Files.createDirectories(folder).resolve("trace.jsonl.gz");
            try (InputStream resource = ShownRecording.class.getResourceAsStream(RESOURCE)) {
                if (resource == null) {
                    throw new IllegalStateException(RESOURCE + " is not in this build");
                }
                Files.copy(resource, file);
            }
            try {
                Replay replay = new Replay(new TimeAxis(15_000), 0, 1, NAME, outcome -> {});
                replay.run(RecordingReader.at(file).get(0));
                return new ShownRecording(replay);
            } finally {
                Files.delete(file);
                Files.delete(folder);
                Files.delete(folder.getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RecordingReader.Unreadable e) {
            throw new IllegalStateException("the shipped recording is damaged: " + e.getMessage(), e);
        }
    }

    String name() {
        return NAME;
    }

    /** The engine as it stood at the recording's end. */
    Tick tick() {
        return tick;
    }

    /** What was seen at its end. */
    Seen seen() {
        return seen;
    }

    private List<Diagnosis> after(List<Diagnosis> live, Predicate<Diagnosis> wanted, int limit) {
        return Stream.concat(live.stream(), diagnoses.stream().filter(wanted))
                .limit(limit)
                .toList();
    }

    /** The live diagnoses first, then those of the recording; the recording's are never written. */
    Diagnoses beside(Diagnoses live) {
        return new Diagnoses() {
            @Override
            public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
                live.keep(touched, changes);
            }

            @Override
            public List<Diagnosis> list(int limit) {
                return after(live.list(limit), diagnosis -> true, limit);
            }

            @Override
            public List<Diagnosis> resolved(int limit) {
                return after(live.resolved(limit), diagnosis -> diagnosis.state() == State.RESOLVED, limit);
            }

            @Override
            public Optional<Diagnosis> find(String id) {
                return live.find(id).or(() -> diagnoses.stream()
                        .filter(diagnosis -> diagnosis.id().equals(id))
                        .findFirst());
            }

            @Override
            public List<Diagnosis> unresolved() {
                return live.unresolved();
            }
        };
    }
}
