package dev.onset.outlets.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Expected bodies as files; {@code -Dgolden.update=true} writes them anew, to be read in the diff like code. */
final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/webhook");
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Golden() {}

    static void check(String name, String json) throws IOException {
        Path file = FOLDER.resolve(name + ".json");
        String pretty = JSON.writeValueAsString(JSON.readTree(json)) + "\n";
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, pretty);
        }
        assertThat(pretty).isEqualTo(Files.readString(file));
    }
}
