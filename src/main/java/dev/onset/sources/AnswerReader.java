package dev.onset.sources;

import dev.onset.signals.Gap;
import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scrape;
import dev.onset.signals.Text;
import java.util.Arrays;

/**
 * Reads answers: the same for live answers and for recorded ones. Keeps, per Redis, the clock difference last measured;
 * otherwise one answer is read without knowledge of the others.
 */
public final class AnswerReader {
    private final ExporterReader exporters;
    private final RedisReader redis = new RedisReader();

    /**
     * @param dictionary which metrics are read, and as what
     */
    public AnswerReader(MetricDictionary dictionary) {
        exporters = new ExporterReader(dictionary);
    }

    /** What the answer says; never throws for bad input. */
    public Scrape read(Answer answer) {
        byte[] bytes = answer.bytes();
        if (bytes == null || answer.missing() != null) {
            return new Scrape.Missed(
                    answer.target(),
                    answer.kind().decidesUp(),
                    answer.atMillis(),
                    answer.missing() == null ? Gap.BAD_ANSWER : answer.missing(),
                    Text.same(answer.detail()));
        }
        return switch (answer.kind()) {
            case METRICS -> exporters.read(answer, bytes, answer.length());
            case MOUNT_CONFIG -> MountConfigFacts.read(answer, whole(answer, bytes));
            case INFO, LATENCY, SLOWLOG, CONFIG, PING -> redis.read(answer, whole(answer, bytes));
        };
    }

    private static byte[] whole(Answer answer, byte[] bytes) {
        return bytes.length == answer.length() ? bytes : Arrays.copyOf(bytes, answer.length());
    }
}
