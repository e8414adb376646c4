package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** Bodies for the tests: recorded ones, and short ones written in place. */
final class Bodies {
    static final Family EVERYTHING = (text, from, to) -> true;

    private Bodies() {}

    static byte[] recorded(String name) {
        try (InputStream file = Objects.requireNonNull(Bodies.class.getResourceAsStream("/exposition/" + name), name);
                InputStream plain = name.endsWith(".gz") ? new GZIPInputStream(file) : file) {
            return plain.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Exposition parse(String body) {
        return parse(body.getBytes(UTF_8));
    }

    static Exposition parse(byte[] body) {
        return ExpositionParser.parse(body, body.length, EVERYTHING);
    }

    /** Samples as they would be written, without their line. */
    static List<String> shown(List<ExposedSample> samples) {
        return samples.stream().map(Bodies::shown).toList();
    }

    static String shown(ExposedSample sample) {
        String stamp = sample.timestampMillis() == ExposedSample.NO_TIMESTAMP ? "" : " @" + sample.timestampMillis();
        return sample.name() + sample.labels().pairs() + " " + sample.value() + stamp;
    }
}
