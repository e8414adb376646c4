package dev.onset.sources.live;

import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.redis.DiscoveredClient;
import dev.onset.sources.scrape.ExporterTarget;
import dev.onset.sources.scrape.Scraper;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** The targets of one job: asked at the same instant of each step, which differs from group to group. */
final class Group {
    private static final int JUICEFS_PORT = 9567;
    private static final int DISCOVERED_LIMIT = 2000;
    /** The list of clients is whatever stands in that Redis: only what can be a host name is connected to. */
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?");

    final String job;
    final long offsetMillis;
    final LastValues skew = new LastValues(240);
    volatile boolean begun;

    private final List<Asked> configured;
    private final Map<String, Asked> discovered = new ConcurrentHashMap<>();

    /**
     * @param stepMillis groups are spread over the first quarter of it: the work is spread, and yet all answers are judged
     *     within the first third
     */
    Group(String job, long stepMillis, List<Asked> configured) {
        this.job = job;
        this.offsetMillis = offset(job, stepMillis);
        this.configured = List.copyOf(configured);
    }

    List<Asked> all() {
        List<Asked> all = new ArrayList<>(configured);
        all.addAll(discovered.values());
        return all;
    }

    /** Takes over the clients that nobody configured, tries new ones and forgets those that are gone. */
    void discovered(List<DiscoveredClient> clients, Scraper scraper, LocalHost here) {
        Map<String, Asked> wanted = new LinkedHashMap<>();
        for (DiscoveredClient client : clients) {
            if (wanted.size() < DISCOVERED_LIMIT && isMount(client) && !isConfigured(client, here)) {
                wanted.computeIfAbsent(client.host() + ":" + JUICEFS_PORT, address -> {
                    Target target = new Target(SourceKind.JUICEFS, job, address, client.host());
                    URI url = URI.create("http://" + address + "/metrics");
                    return new AskedExporter(new ExporterTarget(target, url, false), scraper, true, true);
                });
            }
        }
        discovered.keySet().retainAll(wanted.keySet());
        wanted.forEach(discovered::putIfAbsent);
    }

    /** Stops asking discovered clients that never answered; the next discovery tries them once more. */
    void dropSilent() {
        discovered.values().removeIf(asked -> asked.silent() && asked.failing());
    }

    /** The JuiceFS targets on this machine. */
    List<Target> local(LocalHost here) {
        return all().stream()
                .filter(asked -> asked.target.kind() == SourceKind.JUICEFS && !asked.silent())
                .map(asked -> asked.target)
                .filter(target -> here.is(target.addressHost()))
                .toList();
    }

    private boolean isConfigured(DiscoveredClient client, LocalHost here) {
        Set<String> names = new HashSet<>(client.addresses());
        names.add(shortName(client.host()));
        boolean ours = here.is(client.host());
        return configured.stream()
                .map(asked -> asked.target)
                .filter(target -> target.kind() == SourceKind.JUICEFS)
                .anyMatch(target -> names.contains(shortName(target.addressHost()))
                        || (target.host() != null && names.contains(shortName(target.host())))
                        || (ours && here.is(target.addressHost())));
    }

    /** Gateways and file servers are JuiceFS clients as well, but their metrics are elsewhere. */
    private static boolean isMount(DiscoveredClient client) {
        return client.mountPoint().startsWith("/")
                && HOST_NAME.matcher(client.host()).matches();
    }

    private static String shortName(String host) {
        boolean address = host.matches("[0-9.]+") || host.contains(":");
        int dot = host.indexOf('.');
        return (address || dot < 0 ? host : host.substring(0, dot)).toLowerCase(Locale.ROOT);
    }

    /** The same for a name on every machine and in every run: String.hashCode is specified. */
    private static long offset(String job, long stepMillis) {
        return Math.floorMod((job.hashCode() * 0x9E3779B97F4A7C15L) >>> 16, Math.max(1, stepMillis / 4));
    }
}
