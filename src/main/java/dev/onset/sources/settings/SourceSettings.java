package dev.onset.sources.settings;

import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotBlank;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What is watched and how often.
 *
 * @param step the step of the timeline; every target is asked once per step
 * @param floorScale multiplies the absolute floors of the rules: below 1 for a small laboratory, above 1 for a large
 *     cluster that should be quieter
 * @param data the folder of the database
 * @param groups one per training job: its mounts, hosts, accelerators and Redis servers
 */
@Validated
@ConfigurationProperties("onset")
public record SourceSettings(
        @DefaultValue("15s")
        @DurationMin(seconds = 5, message = "must be between 5s and 60s")
        @DurationMax(seconds = 60, message = "must be between 5s and 60s")
        Duration step,

        @DefaultValue("1.0")
        @DecimalMin(value = "0.01", message = "must be between 0.01 and 100")
        @DecimalMax(value = "100", message = "must be between 0.01 and 100")
        double floorScale,

        @DefaultValue("./onset-data") @NotBlank(message = "must name a folder")
        String data,

        @DefaultValue List<@Valid GroupSettings> groups) {

    public SourceSettings {
        groups = List.copyOf(groups);
        Set<String> jobs = new HashSet<>();
        for (GroupSettings group : groups) {
            if (group.job() != null && !jobs.add(group.job())) {
                throw new IllegalArgumentException("two groups have the job \"" + group.job() + "\"; jobs are unique");
            }
        }
    }

    /** What is watched when nothing is configured. */
    public static SourceSettings defaults() {
        return new SourceSettings(Duration.ofSeconds(15), 1.0, "./onset-data", List.of());
    }

    public Path dataFolder() {
        return Path.of(data);
    }
}
