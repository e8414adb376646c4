package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a recording: a folder with {@code trace.jsonl.gz} (or {@code trace.jsonl}), one answer of one source a line, in
 * the order of their times.
 */
public final class RecordingReader {
    private static final String[] NAMES = {"trace.jsonl.gz", "trace.jsonl"};
    private static final int MAX_LINE_BYTES = 32 << 20;
    private static final byte[] UNREAD = {};
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

    /** Which answers somebody is going to read. */
    public interface Wanted {
        boolean wants(Target target, Answer.Kind kind, long atMillis);
    }

    /**
     * Hands every answer on, in file order.
     *
     * @throws Unreadable at the first line that cannot be read
     */
    public void read(Consumer<Answer> sink) throws Unreadable {
        read((target, kind, at) -> true, sink);
    }

    /**
     * Hands every answer on, in file order; one that is not wanted may come with an empty body.
     *
     * @throws Unreadable at the first line that cannot be read
     */
    public void read(Wanted wanted, Consumer<Answer> sink) throws Unreadable {
        try (InputStream input = open();
                Lines lines = new Lines(input, MAX_LINE_BYTES)) {
            try {
                while (lines.next()) {
                    if (lines.length() > 0) {
                        sink.accept(answer(lines, wanted));
                    }
                }
            } catch (IOException e) {
                throw new Unreadable(file, lines.number() + 1, reason(e));
            }
            if (lines.number() == 0) {
                throw new Unreadable(file, 0, "the recording is empty");
            }
        } catch (IOException e) {
            throw new Unreadable(file, 1, reason(e));
        }
    }

    private InputStream open() throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        return file.toString().endsWith(".gz") ? new GZIPInputStream(raw, 1 << 16) : raw;
    }

    private Answer answer(Lines line, Wanted wanted) throws Unreadable {
        Fields fields = new Fields();
        try (JsonParser json = JSON.createParser(line.bytes(), line.from(), line.length())) {
            boolean object = json.nextToken() == JsonToken.START_OBJECT;
            while (object && json.nextToken() == JsonToken.PROPERTY_NAME) {
                JsonToken value = json.nextToken();
                boolean body =
                        value == JsonToken.VALUE_STRING && json.currentName().equals("body");
                if (body && fields.timed && !wants(wanted, fields, line.number())) {
                    fields.body = UNREAD;
                } else {
                    fields.take(json, value);
                }
            }
            if (object && json.nextToken() != null) {
                throw new Unreadable(file, line.number(), "more than one JSON object: " + clip(line.text()));
            }
        } catch (JacksonException e) {
            throw new Unreadable(file, line.number(), "not a JSON object: " + clip(line.text()));
        }
        if (!fields.timed) {
            throw new Unreadable(file, line.number(), "\"t\" must be epoch milliseconds: " + clip(line.text()));
        }
        return answer(fields, line.number());
    }

    private boolean wants(Wanted wanted, Fields fields, int line) throws Unreadable {
        return wanted.wants(target(fields, line), kind(fields.text("kind", "metrics"), line), fields.at);
    }

    private Target target(Fields fields, int line) throws Unreadable {
        // A recording of the service itself names groups and stated hosts; others are one group, the folder.
        String host = fields.text("host", "");
        return new Target(
                source(fields.text("source", ""), line),
                clip(fields.text("group", group)),
                clip(fields.text("instance", "unknown")),
                host.isEmpty() ? null : clip(host));
    }

    private Answer answer(Fields fields, int line) throws Unreadable {
        Target target = target(fields, line);
        Answer.Kind kind = kind(fields.text("kind", "metrics"), line);
        if (fields.body == null || fields.has("error")) {
            String error = fields.text("error", "no body");
            return Answer.missing(
                    target, kind, fields.at, fields.took(), gap(fields.text("gap", ""), error), clip(error));
        }
        return Answer.of(target, kind, fields.at, fields.took(), fields.body);
    }

    /** What a line says, as far as it is read. */
    private static final class Fields {
        private final Map<String, String> texts = new HashMap<>();
        private double tookSeconds = Double.NaN;
        private double tookMillis;

        private boolean timed;
        private long at;

        private byte @Nullable [] body;

        void take(JsonParser json, JsonToken value) {
            String name = json.currentName();
            switch (name) {
                case "t" -> {
                    timed = value.isNumeric();
                    at = timed ? (long) json.getDoubleValue() : 0;
                }
                case "took" -> tookSeconds = value.isNumeric() ? json.getDoubleValue() : Double.NaN;
                case "ms" -> tookMillis = value.isNumeric() ? json.getDoubleValue() : 0;
                case "body" -> body = value == JsonToken.VALUE_NULL ? null : content(json, value);
                default -> {
                    if (value.isScalarValue()) {
                        texts.put(name, value == JsonToken.VALUE_NULL ? "" : json.getString());
                    }
                }
            }
            // What is not read, and what is left of what was: nothing, if it was a value of one token.
            json.skipChildren();
        }

        /** Text as it is; whatever else a source may answer, as JSON. */
        private static byte[] content(JsonParser json, JsonToken value) {
            if (value != JsonToken.VALUE_STRING) {
                return json.readValueAsTree().toString().getBytes(UTF_8);
            }
            return new String(json.getStringCharacters(), json.getStringOffset(), json.getStringLength())
                    .getBytes(UTF_8);
        }

        boolean has(String name) {
            return texts.containsKey(name);
        }

        String text(String name, String otherwise) {
            return texts.getOrDefault(name, otherwise);
        }

        double took() {
            return Double.isNaN(tookSeconds) ? tookMillis / 1e3 : tookSeconds;
        }
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
        return e instanceof Lines.TooLong
                ? String.valueOf(e.getMessage())
                : e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
