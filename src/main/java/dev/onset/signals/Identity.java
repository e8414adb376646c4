package dev.onset.signals;

import org.jspecify.annotations.Nullable;

/**
 * Who gave an answer, from its labels.
 *
 * @param scope the mount, host, Redis or job the answer is about
 * @param host the machine, short name in lower case; null when the answer does not say
 * @param volume JuiceFS volume name, or null
 * @param mountPoint JuiceFS mount point as typed, or null
 * @param version of JuiceFS or Redis as reported, or null
 */
public record Identity(
        Scope scope,
        @Nullable String host,
        @Nullable String volume,
        @Nullable String mountPoint,
        @Nullable String version) {}
