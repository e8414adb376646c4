package dev.onset.sources.scrape;

import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.settings.ExporterSettings;
import java.net.URI;

/**
 * An exporter and how it is asked.
 *
 * @param target who it is
 * @param url where its metrics are
 * @param gzip whether a compressed answer is accepted
 */
public record ExporterTarget(Target target, URI url, boolean gzip) {
    public static ExporterTarget of(SourceKind kind, String group, ExporterSettings settings) {
        return new ExporterTarget(
                new Target(kind, group, settings.label(), settings.host()), settings.url(), settings.gzip());
    }
}
