package dev.onset.signals;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is asked once per step.
 *
 * @param kind what answers there
 * @param group the group whose targets are asked at the same instant
 * @param address host and port, as configured
 * @param host the name of the machine when the settings state it; otherwise taken from the answer's labels
 */
public record Target(
        SourceKind kind,
        String group,
        String address,
        @Nullable String host) {
    /** The address without its port: the fallback name of the machine. */
    public String addressHost() {
        int colon = address.lastIndexOf(':');
        return colon > 0 ? address.substring(0, colon) : address;
    }
}
