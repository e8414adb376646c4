package dev.onset.rules;

import dev.onset.signals.Text;

/**
 * How sure a finding is.
 *
 * @param why it is not surer, one sentence; empty when confirmed
 */
record Doubt(Confidence confidence, Text why) {
    /** Measured itself, not concluded. */
    static final Doubt NONE = new Doubt(Confidence.CONFIRMED, Text.same(""));

    static Doubt likely(Text why) {
        return new Doubt(Confidence.LIKELY, why);
    }
}
