package dev.onset;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the service as a user would, looks at it once, and ends. The JVM writes down what it had to load and link on
 * the way; see {@code bin/archive}. It listens on a free port of loopback, keeps its data in a folder of its own, and
 * asks nobody anything.
 */
final class Rehearsal {
    private static final List<String> LOOKED_AT =
            List.of("/-/ready", "/", "/metrics", "/api/v1/status", "/api/v1/diagnoses", "/api/v1/rules");

    /** The one target is a port of loopback where nothing listens; it is asked once at most. */
    private static final String SETTINGS = """
            onset:
              step: 60s
              groups:
                - job: rehearsal
                  juicefs: ["127.0.0.1:1"]
            """;

    static int run() throws IOException {
        Path folder = Files.createTempDirectory("onset-rehearsal");
        try {
            run(folder);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        return 0;
    }

    static void run(Path folder) throws IOException {
        Path settings = Files.writeString(folder.resolve("onset.yml"), SETTINGS);
        ServeOptions options = ServeOptions.of(Options.of(List.of(
                "--config", settings.toString(),
                "--storage.path", folder.resolve("data").toString(),
                "--web.listen-address", "127.0.0.1:0")));
        options.check();
        try (ConfigurableApplicationContext context = Onset.start(options)) {
            ShownRecording.shipped();
            if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
                look(web.getWebServer().getPort());
            }
        }
    }

    private static void look(int port) throws IOException {
        for (String path : LOOKED_AT) {
            HttpURLConnection asked = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + path).toURL().openConnection(java.net.Proxy.NO_PROXY);
            asked.setConnectTimeout(5_000);
            asked.setReadTimeout(10_000);
            // Not ready is an answer too: its first step has not come.
            try (InputStream body = asked.getResponseCode() < 400 ? asked.getInputStream() : asked.getErrorStream()) {
                if (body != null) {
                    body.readAllBytes();
                }
            }
        }
    }

    private Rehearsal() {}
}
