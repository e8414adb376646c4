package dev.onset.sources.redis;

import java.util.List;

/**
 * A JuiceFS client that is mounted now, as the volume's metadata tells it.
 *
 * @param group the group whose Redis holds the volume
 * @param redis address of that Redis
 * @param volume name of the volume
 * @param storage kind of object store: {@code s3}, {@code oss}, {@code file}
 * @param host the client's own name for its machine
 * @param addresses its IP addresses
 * @param mountPoint as typed at mount time; {@code s3gateway} and the like for clients that mount nothing
 * @param version of JuiceFS
 * @param pid process id on its host
 * @param mountedAt RFC 3339 as JuiceFS wrote it; empty for clients before 1.2
 */
public record DiscoveredClient(
        String group,
        String redis,
        String volume,
        String storage,
        String host,
        List<String> addresses,
        String mountPoint,
        String version,
        long pid,
        String mountedAt) {
    public DiscoveredClient {
        addresses = List.copyOf(addresses);
    }
}
