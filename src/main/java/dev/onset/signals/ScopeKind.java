package dev.onset.signals;

/** The kinds of things that signals and diagnoses are about. */
public enum ScopeKind {
    /** One JuiceFS client: volume, host and mount point. */
    MOUNT,
    HOST,
    REDIS,
    /** A training job: its accelerators and its loop. */
    JOB,
    /** One scrape target, for findings about the watching itself. */
    TARGET
}
