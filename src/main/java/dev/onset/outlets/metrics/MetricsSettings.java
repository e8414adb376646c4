package dev.onset.outlets.metrics;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code /metrics} shows.
 *
 * @param maxSeries how many series of diagnoses and signals there may be; what is beyond is left out and counted
 * @param signals whether the aligned signals are shown
 */
@ConfigurationProperties("onset.metrics")
public record MetricsSettings(
        @DefaultValue("20000") int maxSeries,
        @DefaultValue("true") boolean signals) {
    public MetricsSettings {
        if (maxSeries < 0 || maxSeries > 1_000_000) {
            throw new IllegalArgumentException("max-series is " + maxSeries + "; allowed are 0 to 1000000");
        }
    }
}
