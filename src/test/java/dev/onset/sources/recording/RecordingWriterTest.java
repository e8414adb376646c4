package dev.onset.sources.recording;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.signals.Gap;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingWriterTest {
    private static final long T = 1796073199295L;
    private static final Target MOUNT = new Target(SourceKind.JUICEFS, "imagenet", "gpu-07.cluster:9567", null);
    private static final Target REDIS = new Target(SourceKind.REDIS, "imagenet", "10.0.0.7:6379", null);

    @TempDir
    Path folder;

    @Test
    void an_answer_becomes_a_line_and_a_missing_one_too() throws IOException {
        try (RecordingWriter writer = new RecordingWriter(folder, 1 << 20, false)) {
            writer.write(answer(MOUNT, Answer.Kind.METRICS, "up{a=\"ü\"} 1\n"));
            writer.write(Answer.missing(REDIS, Answer.Kind.INFO, T, 10, Gap.TIMED_OUT, "10.0.0.7:6379: late"));
            writer.write(answer(MOUNT, Answer.Kind.MOUNT_CONFIG, "{}"));
        }
        assertThat(lines())
                .containsExactly(
                        "{\"t\":1796073199295,\"source\":\"juicefs\",\"instance\":\"gpu-07.cluster:9567\","
                                + "\"group\":\"imagenet\",\"kind\":\"metrics\",\"took\":0.0031,"
                                + "\"body\":\"up{a=\\\"ü\\\"} 1\\n\"}",
                        "{\"t\":1796073199295,\"source\":\"redis\",\"instance\":\"10.0.0.7:6379\",\"group\":\"imagenet\","
                                + "\"kind\":\"info\",\"took\":10.0,\"error\":\"timed out: 10.0.0.7:6379: late\","
                                + "\"gap\":\"timed_out\"}",
                        "{\"t\":1796073199295,\"source\":\"juicefs\",\"instance\":\"gpu-07.cluster:9567\","
                                + "\"group\":\"imagenet\",\"kind\":\"mount_config\",\"took\":0.0031,\"body\":\"{}\"}");
    }

    @Test
    void every_line_can_be_read_before_the_file_is_closed() throws IOException {
        RecordingWriter writer = new RecordingWriter(folder, 1 << 20, false);
        for (int i = 0; i < 3; i++) {
            writer.write(answer(MOUNT, Answer.Kind.METRICS, "up 1\n"));
            assertThat(lines()).hasSize(i + 1);
        }
        writer.close();
    }

    @Test
    void stops_at_its_limit_and_overwrites_nothing() throws IOException {
        Random random = new Random(7);
        try (RecordingWriter writer = new RecordingWriter(folder, 20_000, false)) {
            for (int i = 0; i < 100 && !writer.full(); i++) {
                byte[] noise = new byte[1000];
                random.nextBytes(noise);
                writer.write(answer(
                        MOUNT, Answer.Kind.METRICS, java.util.HexFormat.of().formatHex(noise)));
            }
            assertThat(writer.full()).isTrue();
            assertThat(writer.lines()).isBetween(10L, 25L);
            writer.write(answer(MOUNT, Answer.Kind.METRICS, "one more"));
        }
        assertThat(Files.size(folder.resolve(RecordingWriter.FILE))).isBetween(20_000L, 23_000L);
        assertThat(lines()).noneMatch(line -> line.contains("one more"));
        assertThatThrownBy(() -> new RecordingWriter(folder, 1 << 20, false))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void names_are_replaced_the_same_way_everywhere() throws IOException {
        try (RecordingWriter writer = new RecordingWriter(folder, 1 << 20, true)) {
            writer.write(answer(MOUNT, Answer.Kind.METRICS, """
                    juicefs_uptime{instance="gpu-07",mp="/mnt/secretproject",vol_name="read"} 5
                    juicefs_fuse_ops_total{instance="gpu-07",method="read",mp="/mnt/secretproject"} 7
                    """));
            writer.write(
                    answer(new Target(SourceKind.NODE, "imagenet", "gpu-07:9100", "gpu-07"), Answer.Kind.METRICS, """
                    node_uname_info{nodename="gpu-07.cluster",machine="x86_64"} 1
                    node_filesystem_avail_bytes{device="/dev/sda",mountpoint="/scratch9"} 1
                    """));
            writer.write(
                    answer(
                            MOUNT,
                            Answer.Kind.MOUNT_CONFIG,
                            "{\"Meta\":{\"MountPoint\":\"/mnt/secretproject\"},\"Format\":{\"Name\":\"read\",\"Bucket\":"
                                    + "\"http://store.acme.com/bkt\"},\"Chunk\":{\"CacheDir\":\"/scratch9/jfs77\",\"CacheSize\":9}}"));
            writer.write(answer(
                    REDIS,
                    Answer.Kind.SLOWLOG,
                    "[[1,2,3,[\"KEYS\",\"session:alice\"],\"10.0.0.9:4242\",\"alice-worker\"]]"));
            writer.write(
                    answer(
                            REDIS,
                            Answer.Kind.INFO,
                            "redis_version:7.0.15\r\nexecutable:/home/alice/bin/redis-server\r\nslave0:ip=10.0.0.9,port=6379\r\n"));
            writer.write(
                    Answer.missing(MOUNT, Answer.Kind.METRICS, T, 1, Gap.TARGET_DOWN, "gpu-07.cluster:9567: gone"));
        }
        List<String> lines = lines();

        assertThat(String.join("\n", lines))
                .doesNotContain(
                        "gpu-07",
                        "cluster",
                        "secretproject",
                        "scratch9",
                        "jfs77",
                        "acme",
                        "alice",
                        "10.0.0.",
                        "imagenet");
        assertThat(lines.get(0))
                .contains("\"instance\":\"host-1.example:9567\"", "\"group\":\"job-1\"")
                .contains("juicefs_uptime{instance=\\\"host-1\\\",mp=\\\"/mnt/dir-1\\\",vol_name=\\\"volume-1\\\"} 5")
                .contains("method=\\\"read\\\"");
        assertThat(lines.get(1))
                .contains("\"instance\":\"host-1:9100\"", "\"host\":\"host-1\"", "nodename=\\\"host-1.example\\\"")
                .contains("machine=\\\"x86_64\\\"", "mountpoint=\\\"/dir-2\\\"");
        assertThat(lines.get(2))
                .contains("/mnt/dir-1", "\\\"Name\\\":\\\"volume-1\\\"", "\\\"CacheDir\\\":\\\"/dir-2/dir-3\\\"")
                .contains("\\\"CacheSize\\\":9");
        assertThat(lines.get(3)).contains("[\\\"KEYS\\\",\\\"argument-1\\\"]", ":4242", "client-1");
        assertThat(lines.get(4))
                .contains(
                        "redis_version:7.0.15",
                        "executable:/home/dir-4/bin/redis-server",
                        "slave0:ip=10.99.0.3,port=6379");
        assertThat(lines.get(5)).contains("target down: host-1.example:9567: gone");
    }

    private static Answer answer(Target target, Answer.Kind kind, String body) {
        return Answer.of(target, kind, T, 0.0031, body.getBytes(UTF_8));
    }

    /** All lines that can be read, as from a file whose writer was killed. */
    private List<String> lines() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(folder.resolve(RecordingWriter.FILE)))) {
            byte[] buffer = new byte[4096];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                bytes.write(buffer, 0, read);
            }
        } catch (EOFException e) {
            // It ends where the writer is.
        }
        return bytes.toString(UTF_8).lines().toList();
    }
}
