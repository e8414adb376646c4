package dev.onset.sources.exposition;

import dev.onset.signals.Fault;
import java.util.List;

/**
 * A body, read: the kept samples and what was wrong with the rest.
 *
 * @param samples of wanted families, in the order of the body; of several lines with the same name and labels the first
 * @param faults at most {@link ExpositionParser#MAX_FAULTS} lines that could not be used, each with its line number; a fault that
 *     stopped the reading is the last
 * @param faultyLines how many lines could not be used in all
 * @param duplicates how many lines repeated a name and label set that was already there
 * @param lines how many lines were read
 */
public record Exposition(List<ExposedSample> samples, List<Fault> faults, int faultyLines, int duplicates, int lines) {
    public Exposition {
        samples = List.copyOf(samples);
        faults = List.copyOf(faults);
    }
}
