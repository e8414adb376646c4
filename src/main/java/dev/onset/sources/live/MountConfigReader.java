package dev.onset.sources.live;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads the settings that a JuiceFS mount on this machine runs with from its {@code .config}, without the secrets in
 * there. A mount that hangs blocks whoever touches it for ever, so each is touched by one thread at a time.
 */
final class MountConfigReader {
    private static final int SIZE_LIMIT = 1 << 20;
    private static final int MOUNT_LIMIT = 64;
    private static final Pattern SECRET =
            Pattern.compile("(?i).*(secret|token|password|passphrase|accesskey|encryptkey|privatekey).*");
    private static final Pattern USER_INFO = Pattern.compile("://[^/@\\s]*@");

    private static final JsonMapper JSON = new JsonMapper();

    private final Path mountTable;
    private final Duration limit;
    private final String host;
    private final Set<Path> stuck = ConcurrentHashMap.newKeySet();
    private final Map<Path, String> notes = new ConcurrentHashMap<>();

    MountConfigReader(String host) {
        this(Path.of("/proc/self/mountinfo"), Duration.ofSeconds(2), host);
    }

    /**
     * @param mountTable lists the mounts of this machine; reading it touches none of them
     * @param limit for reading one mount
     * @param host name of this machine, as the mount's own metrics state it; empty when unknown
     */
    MountConfigReader(Path mountTable, Duration limit, String host) {
        this.mountTable = mountTable;
        this.limit = limit;
        this.host = host;
    }

    /**
     * The settings of one mount.
     *
     * @param mountPoint where
     * @param port of its metrics; 0 when it has none
     * @param json its {@code .config} without secrets; holds the process id, so each restart changes it
     */
    record MountConfig(Path mountPoint, int port, String json) {}

    /** Every JuiceFS mount of this machine whose settings can be read now. */
    List<MountConfig> read() {
        List<Path> mounts = mounts();
        notes.keySet().retainAll(mounts);
        List<MountConfig> read = new ArrayList<>();
        for (Path mount : mounts) {
            String json = read(mount);
            if (json != null) {
                read.add(new MountConfig(mount, port(json), json));
            }
        }
        return read;
    }

    /** Mounts whose settings cannot be read, and why. */
    List<String> notes() {
        return List.copyOf(notes.values());
    }

    private List<Path> mounts() {
        try {
            return Files.readAllLines(mountTable).stream()
                    .filter(line -> line.contains(" - fuse.juicefs "))
                    .map(line -> line.split(" "))
                    .filter(fields -> fields.length > 4)
                    .map(fields -> Path.of(unescaped(fields[4])))
                    .distinct()
                    .limit(MOUNT_LIMIT)
                    .toList();
        } catch (IOException e) {
            // Not Linux, or no /proc: nothing local can be seen.
            return List.of();
        }
    }

    /** The kernel writes blanks and the like as octal numbers. */
    private static String unescaped(String field) {
        return Pattern.compile("\\\\([0-7]{3})")
                .matcher(field)
                .replaceAll(
                        octal -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(octal.group(1), 8))));
    }

    private @Nullable String read(Path mount) {
        if (!stuck.add(mount)) {
            notes.put(mount, mount + ": does not answer");
            return null;
        }
        FutureTask<String> config = new FutureTask<>(() -> {
            try {
                return withoutSecrets(bytes(mount));
            } finally {
                stuck.remove(mount);
            }
        });
        Thread reader = new Thread(config, "onset-mount " + mount);
        reader.setDaemon(true);
        reader.start();
        try {
            String json = config.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            notes.remove(mount);
            return json;
        } catch (TimeoutException e) {
            notes.put(mount, mount + ": does not answer");
        } catch (ExecutionException e) {
            notes.put(
                    mount,
                    e.getCause() instanceof AccessDeniedException
                            ? mount + "/.config: may be read by root only"
                            : mount + "/.config: cannot be read");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private static byte[] bytes(Path mount) throws IOException {
        try {
            return bytesOf(mount.resolve(".config"));
        } catch (NoSuchFileException e) {
            // Where the mount hides its internal files behind a prefix.
            return bytesOf(mount.resolve(".jfs.config"));
        }
    }

    private static byte[] bytesOf(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(SIZE_LIMIT);
        }
    }

    /** With the name of the machine, which the file does not state and without which it joins no metrics. */
    private String withoutSecrets(byte[] config) {
        JsonNode tree = JSON.readTree(config);
        strip(tree);
        if (!host.isEmpty() && tree instanceof ObjectNode settings) {
            settings.put("host", host);
        }
        return JSON.writeValueAsString(tree);
    }

    private static void strip(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove(object.propertyNames().stream()
                    .filter(name -> SECRET.matcher(name).matches())
                    .toList());
            for (String name : List.copyOf(object.propertyNames())) {
                if (object.get(name) instanceof StringNode text) {
                    object.put(name, USER_INFO.matcher(text.stringValue()).replaceAll("://"));
                } else {
                    strip(object.get(name));
                }
            }
        } else if (node instanceof ArrayNode array) {
            array.forEach(MountConfigReader::strip);
        }
    }

    private static int port(String json) {
        String agent = JSON.readTree(json).path("Port").path("PrometheusAgent").asString("");
        String port = agent.substring(agent.lastIndexOf(':') + 1);
        return port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
    }
}
