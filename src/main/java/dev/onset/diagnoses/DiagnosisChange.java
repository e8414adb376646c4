package dev.onset.diagnoses;

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
}
