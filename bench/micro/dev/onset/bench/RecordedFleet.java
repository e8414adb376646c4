package dev.onset.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onset.sources.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.json.JsonMapper;

/** A recording of played mounts: in memory, or as the file that {@code bin/onset record} would have written. */
public final class RecordedFleet {
    private final Answers answers;

    public RecordedFleet() throws IOException {
        answers = new Answers();
    }

    public List<Answer> answers(int mounts, int steps) {
        List<Answer> all = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            for (int mount = 0; mount < mounts; mount++) {
                all.add(answers.of(mount, step));
            }
        }
        return all;
    }

    public long samples(List<Answer> of) {
        return (long) of.size() * answers.samples();
    }

    /** Writes {@code FILE MOUNTS STEPS}. */
    public static void main(String[] args) throws IOException {
        int mounts = Integer.parseInt(args[1]);
        int steps = Integer.parseInt(args[2]);
        Answers answers = new Answers();
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(Path.of(args[0])), 1 << 16)) {
            for (int step = 0; step < steps; step++) {
                for (int mount = 0; mount < mounts; mount++) {
                    Answer answer = answers.of(mount, step);
                    String body = JsonMapper.shared().writeValueAsString(new String(answer.body(), UTF_8));
                    String line = "{\"t\": " + answer.atMillis() + ", \"source\": \"juicefs\", \"instance\": \""
                            + answer.target().address() + "\", \"kind\": \"metrics\", \"body\": " + body + "}\n";
                    out.write(line.getBytes(UTF_8));
                }
            }
        }
        System.out.println("{\"samples\": " + (long) mounts * steps * answers.samples() + "}");
    }
}
