package dev.onset.sources.exposition;

import java.util.Arrays;

/**
 * Every byte of a body that is neither a number nor the target's own name, in stretches, and what stands behind each of
 * them. Equal for targets that are laid out alike.
 */
final class LayoutText {
    /** Behind the stretch: a number that is not kept. A kept one has its index, from 0. */
    static final int NOT_KEPT = -1;

    /** Behind the stretch: the target's own name. */
    static final int OWN = -2;

    final byte[] stretches;
    final int[] ends;
    final int[] behind;
    private final int hash;

    /**
     * @param stretches all of them, one after the other; what follows the last end is the rest of the body
     * @param ends of each stretch but the last
     * @param behind each of those stretches, same length
     */
    LayoutText(byte[] stretches, int[] ends, int[] behind) {
        this.stretches = stretches;
        this.ends = ends;
        this.behind = behind;
        this.hash = 31 * Arrays.hashCode(stretches) + Arrays.hashCode(ends);
    }

    long bytes() {
        return stretches.length + 8L * ends.length;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof LayoutText text
                        && hash == text.hash
                        && Arrays.equals(stretches, text.stretches)
                        && Arrays.equals(ends, text.ends)
                        && Arrays.equals(behind, text.behind));
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
