package dev.onset.signals;

/** The kinds of sources that are asked; the lower-case name is the {@code source} of a recording line. */
public enum SourceKind {
    JUICEFS,
    NODE,
    ACCELERATOR,
    TRAINER,
    REDIS
}
