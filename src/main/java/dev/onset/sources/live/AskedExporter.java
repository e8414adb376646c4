package dev.onset.sources.live;

import dev.onset.sources.Answer;
import dev.onset.sources.scrape.ExporterTarget;
import dev.onset.sources.scrape.Scraper;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An exporter in its group. */
final class AskedExporter extends Asked {
    private final ExporterTarget exporter;
    private final Scraper scraper;

    AskedExporter(ExporterTarget exporter, Scraper scraper, boolean discovered, boolean quiet) {
        super(exporter.target(), discovered, quiet);
        this.exporter = exporter;
        this.scraper = scraper;
    }

    @Override
    CompletableFuture<List<Answer>> ask() {
        return scraper.ask(exporter).thenApply(List::of);
    }
}
