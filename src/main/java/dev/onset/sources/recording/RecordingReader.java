package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a recording: a folder with {@code trace.jsonl.gz} (or {@code trace.jsonl}), one answer of one source a line, in
 * the order of their times.
 */
public final class RecordingReader {
    private static final String[] NAMES = {"trace.jsonl.gz", "trace.jsonl"};
    private static final int MAX_LINE_BYTES = 32 << 20;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path file;
    private final String group;

    private RecordingReader(Path file, String group) {
        this.file = file;
        this.group = group;
    }

    /** A file or line that cannot be read; what came before it was delivered. */
    public static final class Unreadable extends Exception {
        Unreadable(Path file, int line, String reason) {
            super(file + (line > 0 ? ":" + line : "") + ": " + reason);
        }
    }

    /**
     * The recordings at a path: the folder itself, a trace file, or every recording folder directly inside it.
     *
     * @throws Unreadable when there is none
     */
    public static List<RecordingReader> at(Path path) throws Unreadable {
        if (Files.isRegularFile(path)) {
            return List.of(
                    new RecordingReader(path, nameOf(path.toAbsolutePath().getParent())));
        }
        RecordingReader own = in(path);
        if (own != null) {
            return List.of(own);
        }
        if (!Files.isDirectory(path)) {
            throw new Unreadable(path, 0, "no such file or folder");
        }
        try (Stream<Path> folders = Files.list(path)) {
            List<RecordingReader> inside = folders.sorted()
                    .map(RecordingReader::in)
                    .filter(java.util.Objects::nonNull)
                    .toList();
            if (inside.isEmpty()) {
                throw new Unreadable(path, 0, "neither a recording (trace.jsonl.gz) nor a folder of recordings");
            }
            return inside;
        } catch (IOException e) {
            throw new Unreadable(path, 0, reason(e));
        }
    }

    private static @Nullable RecordingReader in(Path folder) {
        for (String name : NAMES) {
            if (Files.isRegularFile(folder.resolve(name))) {
                return new RecordingReader(folder.resolve(name), nameOf(folder.toAbsolutePath()));
            }
        }
        return null;
    }

    private static String nameOf(@Nullable Path folder) {
        Path name = folder == null ? null : folder.normalize().getFileName();
        return name == null ? "recording" : name.toString();
    }

    /** The name of the folder; also the group of sources that name none. */
    public String name() {
        return group;
    }

    /**
     * Hands every answer on, in file order.
     *
     * @throws Unreadable at the first line that cannot be read
     */
    public void read(Consumer<Answer> sink) throws Unreadable {
        int line = 0;
        try (InputStream input = open()) {
            byte[] text;
            while ((text = nextLine(input, line)) != null) {
                line++;
                if (text.length > 0) {
                    sink.accept(answer(text, line));
                }
            }
            if (line == 0) {
                throw new Unreadable(file, 0, "the recording is empty");
            }
        } catch (IOException e) {
            throw new Unreadable(file, line + 1, reason(e));
        }
    }

    private InputStream open() throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        return file.toString().endsWith(".gz")
                ? new BufferedInputStream(new GZIPInputStream(raw, 1 << 16), 1 << 16)
                : raw;
    }

    private byte @Nullable [] nextLine(InputStream input, int before) throws IOException, Unreadable {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 12);
        int next;
        while ((next = input.read()) >= 0 && next != '\n') {
            if (line.size() >= MAX_LINE_BYTES) {
                throw new Unreadable(file, before + 1, "the line is longer than 32 MiB");
            }
            line.write(next);
        }
        return next < 0 && line.size() == 0 ? null : line.toByteArray();
    }

    private Answer answer(byte[] text, int line) throws Unreadable {
        JsonNode json;
        try {
            json = JSON.readTree(text);
        } catch (JacksonException e) {
            throw new Unreadable(file, line, "not a JSON object: " + clip(new String(text, UTF_8)));
        }
        if (!json.isObject() || !json.path("t").isNumber()) {
            throw new Unreadable(file, line, "\"t\" must be epoch milliseconds: " + clip(json.toString()));
        }
        SourceKind source = source(json.path("source").asString(""), line);
        Answer.Kind kind = kind(json.path("kind").asString("metrics"), line);
        // A recording of the service itself names groups and stated hosts; others are one group, the folder.
        Target target = new Target(
                source,
                clip(json.path("group").asString(group)),
                clip(json.path("instance").asString("unknown")),
                json.path("host").isString() ? clip(json.path("host").asString()) : null);
        long at = json.path("t").asLong();
        double took = json.path("took").asDouble(json.path("ms").asDouble(0) / 1e3);
        JsonNode body = json.path("body");
        if (json.has("error") || body.isMissingNode() || body.isNull()) {
            String error = json.path("error").asString("no body");
            return Answer.missing(target, kind, at, took, gap(json.path("gap").asString(""), error), clip(error));
        }
        String content = body.isString() ? body.asString() : body.toString();
        return Answer.of(target, kind, at, took, content.getBytes(UTF_8));
    }

    private SourceKind source(String name, int line) throws Unreadable {
        for (SourceKind kind : SourceKind.values()) {
            if (kind.name().equalsIgnoreCase(name)) {
                return kind;
            }
        }
        throw new Unreadable(
                file,
                line,
                "unknown source \"" + clip(name) + "\"; allowed: juicefs, node, accelerator, trainer, redis");
    }

    private Answer.Kind kind(String name, int line) throws Unreadable {
        for (Answer.Kind kind : Answer.Kind.values()) {
            if (kind.name().equalsIgnoreCase(name)) {
                return kind;
            }
        }
        throw new Unreadable(
                file,
                line,
                "unknown kind \"" + clip(name)
                        + "\"; allowed: metrics, info, latency, slowlog, config, ping, mount_config");
    }

    private static Gap gap(String stated, String error) {
        for (Gap gap : Gap.values()) {
            if (gap.name().equalsIgnoreCase(stated)) {
                return gap;
            }
        }
        String text = error.toLowerCase(Locale.ROOT);
        if (text.contains("timed out") || text.contains("timeout")) {
            return Gap.TIMED_OUT;
        }
        return text.contains("noperm") ? Gap.REFUSED : Gap.TARGET_DOWN;
    }

    private static String clip(String text) {
        String oneLine = text.replaceAll("\\p{Cntrl}", " ");
        return oneLine.length() > 160 ? oneLine.substring(0, 160) + "…" : oneLine;
    }

    private static String reason(IOException e) {
        if (e instanceof EOFException) {
            return "the file ends in the middle of its compressed data";
        }
        if (e instanceof ZipException) {
            return "broken compression: " + e.getMessage();
        }
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
