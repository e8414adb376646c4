package dev.onset.outlets.api;

import java.util.List;

/**
 * A step was judged.
 *
 * @param atMillis end of the step, epoch milliseconds
 * @param changed ids of the diagnoses that changed in it
 */
public record Tick(long atMillis, List<String> changed) {
    public Tick {
        changed = List.copyOf(changed);
    }
}
