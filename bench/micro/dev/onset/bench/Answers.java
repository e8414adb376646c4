package dev.onset.bench;

import dev.onset.signals.SourceKind;
import dev.onset.signals.Target;
import dev.onset.sources.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Answers of played mounts at any time. */
final class Answers {
    static final long STEP_MILLIS = 15_000;
    /** Any full step. */
    static final long FIRST_MILLIS = 1_796_040_000_000L;

    private final PlayedMount mounts;
    private final byte[] buffer = new byte[256 << 10];

    Answers() throws IOException {
        mounts = PlayedMount.recordedIn(Path.of(System.getProperty("bench.fleet")));
    }

    int samples() {
        return mounts.samples;
    }

    byte[] body(int mount, double seconds) {
        int length = mounts.write(buffer, 0, mount, mount / 100, PlayedMount.clocks(mount, seconds, 0));
        return Arrays.copyOf(buffer, length);
    }

    /** What a mount answers in a step. */
    Answer of(int mount, long step) {
        Target target = new Target(
                SourceKind.JUICEFS,
                String.format("job-%04d", mount / 100),
                String.format("host-%05d:9567", mount),
                null);
        long atMillis = FIRST_MILLIS + step * STEP_MILLIS + 300 + mount % 100;
        return Answer.of(target, Answer.Kind.METRICS, atMillis, 0.002, body(mount, step * STEP_MILLIS / 1e3));
    }

    /** What the accelerators of a mount's group answer in a step. */
    static Answer accelerators(int group, long step) {
        StringBuilder text = new StringBuilder();
        for (int device = 0; device < 16; device++) {
            text.append(String.format(
                    "DCGM_FI_DEV_GPU_UTIL{gpu=\"%d\",UUID=\"GPU-%d\",Hostname=\"n%05d\"} %d%n",
                    device % 8, device, group * 100 + device / 8, 95 + (device + step) % 4));
        }
        Target target = new Target(
                SourceKind.ACCELERATOR, String.format("job-%04d", group), "accelerators-" + group + ":9400", null);
        byte[] body = text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return Answer.of(target, Answer.Kind.METRICS, FIRST_MILLIS + step * STEP_MILLIS + 310, 0.001, body);
    }
}
