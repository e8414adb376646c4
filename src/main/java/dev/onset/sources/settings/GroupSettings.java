package dev.onset.sources.settings;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A training job and everything it reads through. All of it is asked at the same instant.
 *
 * @param job name of the job, unique
 * @param juicefs metrics addresses of the JuiceFS mounts, port 9567 unless told otherwise at mount time
 * @param node node_exporter of each host
 * @param accelerator DCGM, NVIDIA or Ascend exporter of each host
 * @param training metrics of the training loop
 * @param redis metadata engines of the volumes
 */
public record GroupSettings(
        @NotNull(message = "is missing: every group has a job")
        @Pattern(regexp = "[A-Za-z0-9_.-]{1,100}", message = "must be 1 to 100 letters, digits, '_', '.' or '-'")
        String job,

        @DefaultValue List<@Valid ExporterSettings> juicefs,
        @DefaultValue List<@Valid ExporterSettings> node,
        @DefaultValue List<@Valid ExporterSettings> accelerator,
        @DefaultValue List<@Valid ExporterSettings> training,
        @DefaultValue List<@Valid RedisSettings> redis) {

    public GroupSettings {
        juicefs = unique("juicefs", juicefs);
        node = unique("node", node);
        accelerator = unique("accelerator", accelerator);
        training = unique("training", training);
        redis = List.copyOf(redis);
        Set<String> servers = new HashSet<>();
        for (RedisSettings server : redis) {
            if (!servers.add(server.address())) {
                throw new IllegalArgumentException("redis " + server.address() + " stands twice in this group");
            }
        }
    }

    /** The usual ports of this machine: what is watched when nothing is configured. */
    public static GroupSettings local() {
        return new GroupSettings(
                "local",
                List.of(ExporterSettings.of("127.0.0.1:9567")),
                List.of(ExporterSettings.of("127.0.0.1:9100")),
                List.of(ExporterSettings.of("127.0.0.1:9400")),
                List.of(),
                List.of(RedisSettings.of("redis://127.0.0.1:6379")));
    }

    private static List<ExporterSettings> unique(String kind, List<ExporterSettings> exporters) {
        Set<String> seen = new HashSet<>();
        for (ExporterSettings exporter : exporters) {
            if (!seen.add(exporter.label())) {
                throw new IllegalArgumentException(kind + " " + exporter.label() + " stands twice in this group");
            }
        }
        return List.copyOf(exporters);
    }
}
