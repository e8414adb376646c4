package dev.onset.sources.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scrape;
import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import dev.onset.sources.AnswerReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountConfigReaderTest {
    private static final String CONFIG = """
            {"Meta":{"Sid":%d,"MountPoint":"/mnt/jfs"},
             "Format":{"Name":"trainvol","Bucket":"http://me:TOPSECRET@store/b","SecretKey":"TOPSECRET",
                       "SessionToken":"TOPSECRET","AccessKey":"TOPSECRET","EncryptKey":"TOPSECRET","KeyEncrypted":true},
             "Chunk":{"CacheSize":314572800,"Writeback":true},
             "Port":{"PrometheusAgent":"127.0.0.1:9599"}}
            """;

    @TempDir
    Path folder;

    private Path mount;
    private MountConfigReader reader;

    @BeforeEach
    void table() throws IOException {
        mount = Files.createDirectory(folder.resolve("my mount"));
        Path table = folder.resolve("mountinfo");
        Files.writeString(
                table,
                "27 1 254:0 / / rw - ext4 /dev/root rw\n42 27 0:39 / "
                        + mount.toString().replace(" ", "\\040")
                        + " rw,nosuid - fuse.juicefs JuiceFS:trainvol rw\n");
        reader = new MountConfigReader(table, Duration.ofSeconds(1), "GPU-07.cluster");
    }

    @Test
    void reads_the_settings_without_secrets_and_sees_a_restart() throws IOException {
        Files.writeString(mount.resolve(".config"), CONFIG.formatted(1));

        List<MountConfigReader.MountConfig> first = reader.read();

        assertThat(first).hasSize(1);
        assertThat(first.get(0).mountPoint()).isEqualTo(mount);
        assertThat(first.get(0).port()).isEqualTo(9599);
        assertThat(first.get(0).json())
                .contains("\"Name\":\"trainvol\"", "\"Bucket\":\"http://store/b\"", "\"CacheSize\":314572800")
                .contains("\"KeyEncrypted\":true")
                .doesNotContain("TOPSECRET");
        assertThat(reader.read()).isEqualTo(first);

        Files.writeString(mount.resolve(".config"), CONFIG.formatted(2));
        assertThat(reader.read()).hasSize(1).isNotEqualTo(first);
        assertThat(reader.notes()).isEmpty();
    }

    @Test
    void the_settings_join_the_metrics_of_the_same_mount_whatever_address_it_is_asked_at() throws IOException {
        Files.writeString(mount.resolve(".config"), CONFIG.formatted(1));
        Target target = new Target(SourceKind.JUICEFS, "imagenet", "127.0.0.1:9599", null);
        byte[] config = reader.read().get(0).json().getBytes(UTF_8);
        byte[] metrics = """
                juicefs_uptime{instance="GPU-07.cluster",mp="/mnt/jfs",vol_name="trainvol"} 7
                """.getBytes(UTF_8);
        AnswerReader answers = new AnswerReader(MetricDictionary.STANDARD);

        Scrape settings = answers.read(Answer.of(target, Answer.Kind.MOUNT_CONFIG, 0, 0, config));
        Scrape scraped = answers.read(Answer.of(target, Answer.Kind.METRICS, 0, 0, metrics));

        assertThat(((Scrape.Scraped) settings).identity().scope())
                .isEqualTo(((Scrape.Scraped) scraped).identity().scope());
    }

    @Test
    void reads_the_prefixed_name_and_says_what_cannot_be_read() throws IOException {
        assertThat(reader.read()).isEmpty();
        assertThat(reader.notes()).containsExactly(mount + "/.config: cannot be read");

        Files.writeString(mount.resolve(".jfs.config"), CONFIG.formatted(1));
        assertThat(reader.read()).hasSize(1);
        assertThat(reader.notes()).isEmpty();
    }

    @Test
    void a_hanging_mount_holds_up_nobody_and_keeps_one_thread() throws IOException, InterruptedException {
        Path fifo = mount.resolve(".config");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        long from = System.nanoTime();

        assertThat(reader.read()).isEmpty();
        assertThat(reader.read()).isEmpty();
        assertThat(reader.read()).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofMillis(2500));
        assertThat(reader.notes()).containsExactly(mount + ": does not answer");
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("onset-mount " + mount))
                .hasSize(1);
        Files.writeString(fifo, CONFIG.formatted(1));
    }
}
