package dev.onset;

import dev.onset.sources.live.LiveSources;
import dev.onset.sources.recording.RecordingWriter;
import dev.onset.sources.settings.SettingsFile;
import dev.onset.sources.settings.SourceSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.util.unit.DataSize;

/** {@code record FOLDER}: writes what the sources answer, so that it can be replayed or attached to a report. */
final class RecordCommand {
    private RecordCommand() {}

    static int run(List<String> words, PrintStream out, PrintStream err) {
        try {
            Options options =
                    Options.of(words, "replace-names").allow("config", "for", "limit", "replace-names", "step");
            if (options.others().size() != 1) {
                throw new Options.Wrong("record needs one folder");
            }
            String config = options.get("config");
            SourceSettings settings = config == null
                    ? SourceSettings.defaults()
                    : new ServeOptions(Path.of(config), Map.of(), Map.of()).sources();
            if (options.has("step")) {
                Duration step = options.duration("step", "15s", Duration.ofSeconds(5), Duration.ofSeconds(60));
                settings = new SourceSettings(step, settings.floorScale(), settings.data(), settings.groups());
            }
            Duration length = options.duration("for", "10m", Duration.ofSeconds(5), Duration.ofDays(7));
            return record(
                    settings,
                    Path.of(options.others().get(0)),
                    length,
                    limit(options),
                    options.has("replace-names"),
                    out);
        } catch (Options.Wrong e) {
            err.println("onset record: " + e.getMessage());
            return 2;
        } catch (SettingsFile.WrongSettings e) {
            e.problems().forEach(err::println);
            return 1;
        } catch (IOException | UncheckedIOException e) {
            err.println("onset record: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static long limit(Options options) {
        String text = options.get("limit", "200MB");
        try {
            return DataSize.parse(text).toBytes();
        } catch (IllegalArgumentException e) {
            throw new Options.Wrong("--limit " + text + ": not a size such as 200MB");
        }
    }

    private static int record(
            SourceSettings settings, Path folder, Duration length, long limit, boolean replaceNames, PrintStream out)
            throws IOException, InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        // The writer goes last: closing the sources first means that no answer comes to a closed file.
        try (RecordingWriter writer = new RecordingWriter(folder, limit, replaceNames);
                LiveSources sources = new LiveSources(settings, Clock.systemUTC())) {
            // Stopped from outside: the file is ended properly before the process goes.
            Thread ending = new Thread(() -> await(over, closed), "onset-record-end");
            Runtime.getRuntime().addShutdownHook(ending);
            sources.start(
                    answer -> {
                        try {
                            writer.write(answer);
                        } catch (IOException e) {
                            over.countDown();
                            throw new UncheckedIOException(e);
                        }
                        if (writer.full()) {
                            over.countDown();
                        }
                    },
                    step -> {},
                    skew -> {});
            boolean early = over.await(length.toMillis(), TimeUnit.MILLISECONDS);
            out.println(writer.file() + ": " + writer.lines() + " answers"
                    + (early && writer.full() ? ", stopped at the size limit" : ""));
        }
        closed.countDown();
        return 0;
    }

    private static void await(CountDownLatch over, CountDownLatch closed) {
        over.countDown();
        try {
            boolean unused = closed.await(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
