package dev.onset.sources.exposition;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads one target's bodies, one after the other, remembering how the last one was laid out. While nothing but numbers
 * changes, only numbers are read and nothing is allocated; otherwise {@link ExpositionParser} reads the body in full. The
 * results are the same either way. One thread at a time.
 */
public final class LayoutParser {
    private final Family wanted;
    private final Decimal number = new Decimal();
    private final Numbers numbers = new Numbers();
    private final Body body = new Body();
    private @Nullable Layout layout;

    public LayoutParser(Family wanted) {
        this.wanted = wanted;
    }

    /**
     * @param bytes the answer, not used after the return
     * @param length how many of its bytes count
     * @return the same object each time
     */
    public Body read(byte[] bytes, int length) {
        Objects.checkFromIndexSize(0, length, bytes.length);
        if (layout == null || !layout.read(bytes, length, number, numbers, body.values(), body.timestamps())) {
            Layout.Draft draft = new Layout.Draft();
            body.fill(ExpositionParser.parse(bytes, length, wanted, draft));
            layout = draft.finish(bytes, length);
        }
        return body;
    }
}
