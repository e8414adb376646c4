package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingReaderTest {
    private static final String LINE =
            "{\"t\":1796073199295,\"source\":\"juicefs\",\"instance\":\"gpu-01:9567\",\"kind\":\"metrics\",\"body\":\"a 1\"}\n";

    @TempDir
    Path folder;

    private final List<Answer> answers = new ArrayList<>();

    @Test
    void a_line_is_an_answer_of_the_folder_s_group() throws Exception {
        plain(LINE);
        read();
        assertThat(answers).singleElement().satisfies(answer -> {
            assertThat(answer.target().kind()).isEqualTo(SourceKind.JUICEFS);
            assertThat(answer.target().address()).isEqualTo("gpu-01:9567");
            assertThat(answer.target().group()).isEqualTo(String.valueOf(folder.getFileName()));
            assertThat(answer.atMillis()).isEqualTo(1_796_073_199_295L);
            assertThat(answer.body()).asString(UTF_8).isEqualTo("a 1");
        });
    }

    @Test
    void a_failed_request_is_a_missing_answer_with_its_reason() throws Exception {
        plain("""
                {"t":1,"source":"node","instance":"h:9100","kind":"metrics","error":"request timed out"}
                {"t":2,"source":"node","instance":"h:9100","kind":"metrics","error":"connection refused"}
                """);
        read();
        assertThat(answers).extracting(Answer::missing).containsExactly(Gap.TIMED_OUT, Gap.TARGET_DOWN);
    }

    @Test
    void what_the_service_recorded_is_read_back_as_it_was() throws Exception {
        List<Answer> written = new ArrayList<>();
        for (Gap gap : Gap.values()) {
            Target target = new Target(SourceKind.REDIS, "job-" + gap, "meta-a:6379", null);
            written.add(Answer.missing(target, Answer.Kind.INFO, 1_796_073_199_295L, 0.01, gap, "why"));
        }
        Target stated = new Target(SourceKind.JUICEFS, "vision", "10.0.0.7:9567", "gpu-07");
        written.add(Answer.missing(stated, Answer.Kind.METRICS, 1_796_073_199_295L, 10, Gap.REFUSED, "403"));
        try (RecordingWriter writer = new RecordingWriter(folder, 1 << 20, false)) {
            for (Answer answer : written) {
                writer.write(answer);
            }
        }
        read();
        assertThat(answers)
                .extracting(Answer::target)
                .isEqualTo(written.stream().map(Answer::target).toList());
        assertThat(answers)
                .extracting(Answer::missing)
                .isEqualTo(written.stream().map(Answer::missing).toList());
    }

    @Test
    void a_file_cut_off_names_the_line_and_delivers_what_came_before() throws IOException {
        byte[] whole = packed(2_000);
        Path trace = folder.resolve("trace.jsonl.gz");
        Files.write(trace, Arrays.copyOf(whole, whole.length * 2 / 3));
        assertThatThrownBy(this::read)
                .isInstanceOf(RecordingReader.Unreadable.class)
                .hasMessageStartingWith(trace + ":" + (answers.size() + 1) + ": ")
                .hasMessageContaining("ends in the middle of its compressed data");
        assertThat(answers).hasSizeBetween(500, 1_999);
    }

    @Test
    void broken_compression_names_the_line() throws IOException {
        byte[] whole = packed(2_000);
        Arrays.fill(whole, whole.length / 2, whole.length / 2 + 2_000, (byte) 0xff);
        Path trace = folder.resolve("trace.jsonl.gz");
        Files.write(trace, whole);
        assertThatThrownBy(this::read)
                .isInstanceOf(RecordingReader.Unreadable.class)
                .hasMessageStartingWith(trace + ":" + (answers.size() + 1) + ": ");
    }

    @Test
    void a_file_that_is_not_compressed_at_all_says_so() throws IOException {
        Path trace = folder.resolve("trace.jsonl.gz");
        Files.writeString(trace, LINE);
        assertThatThrownBy(this::read).hasMessageStartingWith(trace + ":1: broken compression");
    }

    @Test
    void a_line_that_is_not_json_is_named_and_those_before_it_count() throws IOException {
        Path trace = plain(LINE + LINE + "{\"t\": 17960\n" + LINE);
        assertThatThrownBy(this::read).hasMessageStartingWith(trace + ":3: not a JSON object: {\"t\": 17960");
        assertThat(answers).hasSize(2);
    }

    @Test
    void a_line_without_a_time_is_named() throws IOException {
        Path trace = plain(LINE + LINE.replace("1796073199295", "\"noon\""));
        assertThatThrownBy(this::read).hasMessageStartingWith(trace + ":2: \"t\" must be epoch milliseconds");
    }

    @Test
    void an_unknown_source_or_kind_is_named_with_what_is_allowed() throws IOException {
        Path trace = plain(LINE.replace("\"juicefs\"", "\"mainframe\""));
        assertThatThrownBy(this::read)
                .hasMessageStartingWith(trace + ":1: unknown source \"mainframe\"; allowed: juicefs, node,");
        plain(LINE.replace("\"metrics\"", "\"tea leaves\""));
        assertThatThrownBy(this::read)
                .hasMessageStartingWith(trace + ":1: unknown kind \"tea leaves\"; allowed: metrics,");
    }

    @Test
    void control_characters_do_not_reach_the_message() throws IOException {
        plain("\u001b[31mnot json\n");
        assertThatThrownBy(this::read).message().doesNotContain("\u001b").contains("not json");
    }

    @Test
    void an_empty_file_is_unreadable() throws IOException {
        Path trace = plain("");
        assertThatThrownBy(this::read).hasMessage(trace + ": the recording is empty");
    }

    @Test
    void a_path_without_a_recording_is_unreadable() {
        assertThatThrownBy(() -> RecordingReader.at(folder.resolve("nowhere")))
                .hasMessageContaining("no such file or folder");
        assertThatThrownBy(() -> RecordingReader.at(folder)).hasMessageContaining("neither a recording");
    }

    private void read() throws RecordingReader.Unreadable {
        RecordingReader.at(folder).get(0).read(answers::add);
    }

    private Path plain(String text) throws IOException {
        return Files.writeString(folder.resolve("trace.jsonl"), text);
    }

    /** Lines that do not compress to nothing, so that a cut falls among them. */
    private static byte[] packed(int lines) throws IOException {
        Random random = new Random(7);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < lines; i++) {
                String body = Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
                gzip.write(LINE.replace("a 1", body).getBytes(UTF_8));
            }
        }
        return bytes.toByteArray();
    }
}
