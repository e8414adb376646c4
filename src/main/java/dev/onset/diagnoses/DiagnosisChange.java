package dev.onset.diagnoses;

import java.util.Locale;

/**
 * Something that people are told about: one when it opens, one when it is resolved, an update only if the cause or the
 * severity changes.
 *
 * @param kind what happened
 * @param diagnosis as it stands now
 */
public record DiagnosisChange(Kind kind, Diagnosis diagnosis) {
    /** What happened. */
    public enum Kind {
        OPENED,
        UPDATED,
        RESOLVED
    }

    /**
     * Tells one change from the next of the same kind: the time of the newest entry of the trail. Every change leaves
     * an entry there, so a change that is offered again has the same sequence and is queued once.
     */
    public long sequence() {
        int last = diagnosis.trail().size() - 1;
        return last < 0 ? 0 : diagnosis.trail().get(last).atMillis();
    }

    /** Stable name of the message about this change: the same in every attempt, so that a receiver can tell a repeat. */
    public String messageId() {
        return diagnosis.id() + "/" + kind.name().toLowerCase(Locale.ROOT) + "/" + sequence();
    }
}
