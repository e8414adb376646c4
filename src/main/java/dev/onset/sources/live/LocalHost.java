package dev.onset.sources.live;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The names and addresses of this machine, found without asking a name server. */
final class LocalHost {
    private final Set<String> names = new HashSet<>(Set.of("localhost", "127.0.0.1", "::1", "[::1]"));
    private final String name = kernelName();

    LocalHost() {
        if (!name.isEmpty()) {
            names.add(name.toLowerCase(Locale.ROOT));
        }
        try {
            names.addAll(NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
                    .collect(Collectors.toSet()));
        } catch (SocketException e) {
            // Then only loopback counts as local.
        }
    }

    /** The name that programs on this machine call it by; empty where it is unknown. */
    String name() {
        return name;
    }

    private static String kernelName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            // Not Linux: the addresses must do.
            return "";
        }
    }

    boolean is(String host) {
        return names.contains(host.toLowerCase(Locale.ROOT));
    }
}
