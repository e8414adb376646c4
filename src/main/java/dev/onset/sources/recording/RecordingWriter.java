package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes answers into {@code trace.jsonl.gz} of a new folder, one a line, as they came. Each line is flushed through the
 * compression, so that the file can be read up to its last line however the process ends. Not for several threads.
 *
 * <p>A line has {@code t}, {@code source}, {@code instance}, {@code group}, {@code host} where the settings tell it,
 * {@code kind}, {@code took} in seconds, and either {@code body} or {@code error} with {@code gap}, the reason's name.
 */
public final class RecordingWriter implements AutoCloseable {
    public static final String FILE = "trace.jsonl.gz";

    /** Readers refuse lines far above what any exporter says; such an answer is noted instead of kept. */
    private static final int BODY_LIMIT = 8 << 20;

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path file;
    private final long byteLimit;
    private final @Nullable Pseudonyms pseudonyms;
    private final Counting written;
    private final GZIPOutputStream out;
    private long lines;
    private boolean full;

    /**
     * @param folder created where there is none; must not hold a recording yet
     * @param byteLimit at this size of the file it stops
     * @param replaceNames whether hosts, volumes, mount points and addresses are replaced by stable pseudonyms
     * @throws java.nio.file.FileAlreadyExistsException rather than overwrite a recording
     */
    public RecordingWriter(Path folder, long byteLimit, boolean replaceNames) throws IOException {
        Files.createDirectories(folder);
        this.file = folder.resolve(FILE);
        this.byteLimit = byteLimit;
        this.pseudonyms = replaceNames ? new Pseudonyms() : null;
        this.written =
                new Counting(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        this.out = new GZIPOutputStream(written, 1 << 16, true);
    }

    public Path file() {
        return file;
    }

    public long lines() {
        return lines;
    }

    /** Whether the limit is reached, so that nothing more is written. */
    public boolean full() {
        return full;
    }

    /**
     * Adds an answer, unless the recording is full.
     *
     * @throws IOException when the disk does not take it; the lines before it can be read
     */
    public void write(Answer answer) throws IOException {
        if (full) {
            return;
        }
        out.write(line(answer));
        out.flush();
        lines++;
        full = written.bytes >= byteLimit;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private byte[] line(Answer answer) {
        Target target = answer.target();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("t", answer.atMillis());
        line.put("source", lower(target.kind()));
        line.put("instance", pseudonyms == null ? target.address() : pseudonyms.address(target.address()));
        line.put("group", pseudonyms == null ? target.group() : pseudonyms.group(target.group()));
        if (target.host() != null) {
            line.put("host", pseudonyms == null ? target.host() : pseudonyms.host(target.host()));
        }
        line.put("kind", lower(answer.kind()));
        line.put("took", Math.round(answer.tookSeconds() * 1e6) / 1e6);
        byte[] bytes = answer.bytes();
        if (bytes != null && answer.length() <= BODY_LIMIT) {
            String text = new String(bytes, 0, answer.length(), UTF_8);
            line.put("body", pseudonyms == null ? text : pseudonyms.body(answer.kind(), text));
        } else {
            String error = answer.missing() == null
                    ? "an answer of " + answer.length() + " bytes was too large to record"
                    : answer.missing().text().en() + ": " + answer.detail();
            line.put("error", pseudonyms == null ? error : pseudonyms.known(error));
            line.put("gap", answer.missing() == null ? "bad_answer" : lower(answer.missing()));
        }
        return (JSON.writeValueAsString(line) + "\n").getBytes(UTF_8);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Counts what reaches the file. */
    private static final class Counting extends OutputStream {
        private final OutputStream out;
        private long bytes;

        Counting(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            bytes++;
        }

        @Override
        public void write(byte[] b, int offset, int length) throws IOException {
            out.write(b, offset, length);
            bytes += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
