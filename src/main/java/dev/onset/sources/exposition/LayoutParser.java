package dev.onset.sources.exposition;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads one target's bodies, one after the other, remembering how the last one was laid out. While nothing but numbers
 * changes, only numbers are read and nothing is allocated; otherwise {@link ExpositionParser} reads the body in full. The
 * results are the same either way. One thread at a time, the same for all parsers that share {@link Layouts}.
 */
public final class LayoutParser implements AutoCloseable {
    /** A target whose bodies are never laid out the same is hardly worth remembering: then only each of so many is. */
    private static final int SELDOM = 16;

    private static final int UNSTEADY = 3;

    private final Family wanted;
    private final Layouts layouts;
    private final Body body = new Body();
    private @Nullable Layout layout;
    private int changes;

    public LayoutParser(Family wanted) {
        this(wanted, new Layouts(Long.MAX_VALUE));
    }

    /**
     * @param layouts shared by the parsers of many targets: most are laid out alike
     */
    public LayoutParser(Family wanted, Layouts layouts) {
        this.wanted = wanted;
        this.layouts = layouts;
    }

    /**
     * @param bytes the answer, not used after the return
     * @param length how many of its bytes count
     * @return the same object each time
     */
    public Body read(byte[] bytes, int length) {
        Objects.checkFromIndexSize(0, length, bytes.length);
        if (layout != null
                && layout.read(bytes, length, layouts.number, layouts.numbers, body.values(), body.timestamps())) {
            changes = 0;
            body.dropSeries();
            return body;
        }
        forget();
        changes++;
        if (changes > UNSTEADY && changes % SELDOM != 0) {
            body.fill(ExpositionParser.parse(bytes, length, wanted));
        } else {
            Layout.Draft draft = new Layout.Draft();
            body.fill(ExpositionParser.parse(bytes, length, wanted, draft));
            layout = draft.finish(bytes, length, layouts);
        }
        return body;
    }

    /** Gives back what it remembers. It may go on reading: the next body is read in full. */
    @Override
    public void close() {
        forget();
    }

    private void forget() {
        if (layout != null) {
            layouts.release(layout.text());
            layout = null;
        }
    }
}
