package dev.onset.sources.live;

import dev.onset.signals.Gap;
import dev.onset.signals.Target;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How asking one target goes.
 *
 * @param target who
 * @param discovered whether it was found in a volume's metadata rather than configured
 * @param up whether the latest question was answered
 * @param sinceMillis when it went up or down, epoch milliseconds; 0 when it was not asked yet
 * @param missing why there is no answer; null while it is up
 * @param detail the same in words; empty while it is up
 * @param refused commands that a Redis refuses to us
 * @param asking what the asking costs; sorts what was measured lately, so ask it only about targets that are shown
 */
public record TargetState(
        Target target,
        boolean discovered,
        boolean up,
        long sinceMillis,
        @Nullable Gap missing,
        String detail,
        List<String> refused,
        Supplier<Asking> asking) {
    public TargetState {
        refused = List.copyOf(refused);
    }

    /**
     * What asking a target costs.
     *
     * @param skewP99Millis how far its questions start from the group's instant; NaN when unknown
     * @param medianMillis what a question takes; NaN when unknown
     * @param medianBytes size of an answer; NaN when unknown
     */
    public record Asking(double skewP99Millis, double medianMillis, double medianBytes) {}
}
