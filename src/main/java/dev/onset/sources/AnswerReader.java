package dev.onset.sources;

import dev.onset.signals.MetricDictionary;
import dev.onset.signals.Scrape;
import dev.onset.signals.Text;

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
        byte[] body = answer.body();
        if (body == null || answer.missing() != null) {
            return new Scrape.Missed(
                    answer.target(),
                    answer.kind().decidesUp(),
                    answer.atMillis(),
                    answer.missing() == null ? dev.onset.signals.Gap.BAD_ANSWER : answer.missing(),
                    Text.same(answer.detail()));
        }
        return switch (answer.kind()) {
            case METRICS -> exporters.read(answer, body);
            case MOUNT_CONFIG -> MountConfigFacts.read(answer, body);
            case INFO, LATENCY, SLOWLOG, CONFIG, PING -> redis.read(answer, body);
        };
    }
}
