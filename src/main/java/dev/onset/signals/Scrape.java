package dev.onset.signals;

import java.util.List;
import java.util.Map;

/** What became of asking one target once. */
public sealed interface Scrape {
    Target target();

    /** Whether this answer says if the target is up: a scrape or INFO does, a refused extra command does not. */
    boolean decidesUp();

    /** Epoch milliseconds at which the answer was asked for: the step it belongs to is the step of this instant. */
    long atMillis();

    /**
     * An answer, read.
     *
     * @param identity who answered
     * @param samples the numbers
     * @param distributions the histograms
     * @param moments events with their own times
     * @param facts settings and states in words, keyed as in {@link Facts}
     * @param faults what could not be used
     */
    record Scraped(
            Target target,
            boolean decidesUp,
            long atMillis,
            Identity identity,
            List<Sample> samples,
            List<Distribution> distributions,
            List<Moment> moments,
            Map<String, String> facts,
            List<Fault> faults)
            implements Scrape {
        public Scraped {
            samples = List.copyOf(samples);
            distributions = List.copyOf(distributions);
            moments = List.copyOf(moments);
            facts = Map.copyOf(facts);
            faults = List.copyOf(faults);
        }
    }

    /** No usable answer. */
    record Missed(Target target, boolean decidesUp, long atMillis, Gap reason, Text detail) implements Scrape {}
}
