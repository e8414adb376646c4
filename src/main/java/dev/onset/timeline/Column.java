package dev.onset.timeline;

import static dev.onset.timeline.Block.STEPS;

import dev.onset.signals.Distribution;
import dev.onset.signals.Gap;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One series on the axis: each cell a number or a gap with its reason, with the true times it covers. The newest cells
 * are open, the others sealed in the scope's {@link Block}s. A column that stands still has no array at all.
 *
 * <p>Per sealed cell: nothing where it stands still; two bytes for rates and quotients of mounts and hosts; one or two
 * for gauges that count, four for bytes; eight for the rest. For a histogram, two for its total, and about two for each
 * bucket that moved.
 */
final class Column {
    /** The open cells reach a few steps beyond a block: answers of the next step may come before this one is closed. */
    static final int OPEN = STEPS + 4;

    /** Gauges of which only the size matters; a restart is told by the raw value. */
    private static final Set<Signal> NARROW_GAUGES = EnumSet.of(Signal.SCRAPE_SECONDS, Signal.UPTIME);

    final ScopeColumns about;
    final Signal signal;
    final String part;
    /** Who fills it: another target that exports the same series is ignored. */
    Timeline.@Nullable TargetStatus owner;

    private final int index;
    private final boolean narrow;
    /** Null while all open cells are the same. */
    private byte @Nullable [] open;

    private long same;
    private long last = Long.MIN_VALUE;
    private double raw = Double.NaN;
    private long rawAt = Long.MIN_VALUE;
    private final @Nullable Buckets buckets;

    /** The other half of a histogram's column. */
    private static final class Buckets {
        double @Nullable [] bounds;
        double @Nullable [] counts;

        @Nullable
        Moves moves;
    }

    /**
     * @param index its place in the scope's blocks; a histogram has the next one as well
     */
    Column(ScopeColumns about, Signal signal, String part, int index) {
        this.about = about;
        this.signal = signal;
        this.part = part;
        this.index = index;
        boolean many = about.scope.kind() == ScopeKind.MOUNT || about.scope.kind() == ScopeKind.HOST;
        boolean computed = signal.kind() == Signal.Kind.COUNTER || signal.kind() == Signal.Kind.DERIVED;
        narrow = (many && computed) || NARROW_GAUGES.contains(signal);
        buckets = signal.kind() == Signal.Kind.HISTOGRAM ? new Buckets() : null;
    }

    /** How many places a column of this signal takes in a block. */
    static int places(Signal signal) {
        return signal.kind() == Signal.Kind.HISTOGRAM ? 2 : 1;
    }

    /** The newest step that holds a cell. */
    long last() {
        return last;
    }

    boolean filled(long step) {
        return last >= step;
    }

    double value(long step) {
        return Cell.value(cell(step), narrow);
    }

    Gap gap(long step) {
        long cell = cell(step);
        return Double.isNaN(Cell.value(cell, narrow)) ? Cell.reason(cell) : Gap.NOT_SCRAPED_YET;
    }

    private long cell(long step) {
        if (!covers(step)) {
            return Cell.gap(Gap.NOT_SCRAPED_YET, narrow);
        }
        long at = step - about.openStep();
        if (at >= 0) {
            return open((int) at);
        }
        byte[] block = about.block(step);
        return block == null
                ? Cell.gap(Gap.NOT_SCRAPED_YET, narrow)
                : Block.cell(block, index, about.cellInBlock(step), narrow);
    }

    private long open(int at) {
        byte[] cells = open;
        if (cells == null) {
            return same;
        }
        return narrow
                ? (int) Block.INT.get(cells, at * Cell.NARROW_BYTES) & 0xFF_FFFF
                : (long) Block.LONG.get(cells, at * Cell.EXACT_BYTES);
    }

    /** Smallest and largest number in {@code [from, to)}. */
    Range range(long from, long to) {
        Range range = new Range();
        long step = Math.max(from, last - about.capacity() + 1);
        long end = Math.min(to, last + 1);
        while (last != Long.MIN_VALUE && step < end && step < about.openStep()) {
            int cell = about.cellInBlock(step);
            int until = (int) Math.min(STEPS, cell + end - step);
            byte[] block = about.block(step);
            if (block != null) {
                Block.widen(block, index, cell, until, narrow, range);
            }
            step += until - cell;
        }
        for (; last != Long.MIN_VALUE && step < end; step++) {
            range.add(Cell.value(open((int) (step - about.openStep())), narrow));
        }
        return range;
    }

    long from(long step) {
        return covers(step) ? about.times.from(step) : Long.MIN_VALUE;
    }

    long to(long step) {
        return covers(step) ? about.times.to(step) : Long.MIN_VALUE;
    }

    double @Nullable [] bounds() {
        return buckets == null ? null : buckets.bounds;
    }

    /** How many observations each bucket got in a step; null where there is a gap. */
    double @Nullable [] increments(long step) {
        double[] bounds = bounds();
        if (buckets == null || bounds == null || Double.isNaN(value(step))) {
            return null;
        }
        double[] all = new double[bounds.length];
        long at = step - about.openStep();
        if (at >= 0) {
            if (buckets.moves != null) {
                buckets.moves.read((int) at, all);
            }
            return all;
        }
        byte[] block = about.block(step);
        int start = block == null ? -1 : Block.moved(block, index + 1, about.cellInBlock(step));
        if (block != null && start >= 0) {
            Moves.read(block, start, all);
        }
        return all;
    }

    /** The last raw value of a counter; NaN before the first. */
    double raw() {
        return raw;
    }

    long rawAt() {
        return rawAt;
    }

    void put(long step, double value) {
        set(step, Cell.of(value, narrow));
    }

    void gap(long step, Gap reason) {
        set(step, Cell.gap(reason, narrow));
    }

    /** A counter's new raw value becomes a rate between the two nearest true samples, or a gap that says why not. */
    void count(long step, double value, long atMillis, long staleAfterMillis, boolean restarted) {
        double previous = raw;
        long previousAt = rawAt;
        raw = value;
        rawAt = atMillis;
        if (Double.isNaN(previous)) {
            gap(step, Gap.NOT_SCRAPED_YET);
        } else if (restarted || value < previous) {
            gap(step, Gap.RESET);
        } else if (atMillis - previousAt > staleAfterMillis || atMillis <= previousAt) {
            gap(step, Gap.STALE);
        } else {
            put(step, (value - previous) / ((atMillis - previousAt) / 1e3));
        }
    }

    void gauge(long step, double value, long atMillis) {
        put(step, value);
        raw = value;
        rawAt = atMillis;
    }

    /** The cell's value is the number of observations; the buckets that moved are kept beside it. */
    void distribution(long step, Distribution seen, long atMillis, long staleAfterMillis, boolean restarted) {
        if (buckets == null) {
            return;
        }
        double[] before = buckets.counts;
        boolean comparable = before != null && Arrays.equals(buckets.bounds, seen.bounds());
        long previousAt = rawAt;
        rawAt = atMillis;
        if (before == null) {
            gap(step, Gap.NOT_SCRAPED_YET);
        } else if (restarted || !comparable || atMillis - previousAt > staleAfterMillis) {
            gap(step, comparable && !restarted ? Gap.STALE : Gap.RESET);
        } else {
            observed(buckets, step, seen.counts(), before);
        }
        if (comparable && before != null) {
            System.arraycopy(seen.counts(), 0, before, 0, before.length);
        } else {
            buckets.bounds = about.bounds.shared(seen.bounds());
            buckets.counts = seen.counts().clone();
        }
    }

    private void observed(Buckets mine, long step, double[] counts, double[] before) {
        double below = 0;
        for (int i = 0; i < counts.length; i++) {
            double upTo = counts[i] - before[i];
            if (upTo < below) {
                gap(step, Gap.RESET);
                return;
            }
            below = upTo;
        }
        put(step, below);
        long at = step - about.openStep();
        if (below > 0 && at >= 0) {
            Moves moves = mine.moves == null ? new Moves(OPEN) : mine.moves;
            mine.moves = moves;
            moves.put((int) at, counts, before);
        }
    }

    private void set(long step, long cell) {
        about.makeRoom(step);
        int at = (int) Math.max(-1, step - about.openStep());
        if (at < 0) {
            return;
        }
        int known = known();
        long none = Cell.gap(Gap.NOT_SCRAPED_YET, narrow);
        if (open == null && known == 0) {
            same = at == 0 ? cell : none;
        }
        boolean still = open == null && cell == same && (at <= known || same == none);
        if (!still) {
            byte[] cells = opened(known);
            for (int i = known; i < at; i++) {
                write(cells, i, none);
            }
            write(cells, at, cell);
        }
        last = Math.max(last, step);
    }

    /** How many open cells there are. */
    private int known() {
        return last < about.openStep() ? 0 : (int) (last - about.openStep() + 1);
    }

    private byte[] opened(int known) {
        byte[] cells = open;
        if (cells == null) {
            cells = new byte[narrow ? OPEN * Cell.NARROW_BYTES + 1 : OPEN * Cell.EXACT_BYTES];
            open = cells;
            for (int i = 0; i < known; i++) {
                write(cells, i, same);
            }
        }
        return cells;
    }

    private void write(byte[] cells, int at, long cell) {
        if (narrow) {
            int place = at * Cell.NARROW_BYTES;
            cells[place] = (byte) cell;
            cells[place + 1] = (byte) (cell >> 8);
            cells[place + 2] = (byte) (cell >> 16);
        } else {
            Block.LONG.set(cells, at * Cell.EXACT_BYTES, cell);
        }
    }

    /** Packs the oldest open steps; the scope moves on by as many right after. */
    void seal(Block.Packer packer) {
        long none = Cell.gap(Gap.NOT_SCRAPED_YET, narrow);
        int known = known();
        if (known > 0 && known < STEPS && (open != null || same != none)) {
            byte[] cells = opened(known);
            for (int i = known; i < STEPS; i++) {
                write(cells, i, none);
            }
        }
        if (known > 0) {
            pack(packer);
        }
        if (buckets != null && buckets.moves != null) {
            packer.moved(index + 1, buckets.moves);
            buckets.moves.shift(STEPS);
        }
        moveOn(known);
    }

    private void moveOn(int known) {
        byte[] cells = open;
        if (cells == null) {
            return;
        }
        if (known == 0 || (stood(0, STEPS) && stood(STEPS, known))) {
            same = open(STEPS);
            open = null;
        } else {
            int width = narrow ? Cell.NARROW_BYTES : Cell.EXACT_BYTES;
            System.arraycopy(cells, STEPS * width, cells, 0, (OPEN - STEPS) * width);
        }
    }

    private void pack(Block.Packer packer) {
        byte[] cells = open;
        if (cells == null || stood(0, STEPS)) {
            packer.same(index, open(0), narrow);
        } else if (narrow) {
            packer.narrow(index, cells);
        } else {
            packer.exact(index, cells);
        }
    }

    /** Whether the open cells in {@code [from, to)} are all the same. */
    private boolean stood(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (open(i) != open(from)) {
                return false;
            }
        }
        return true;
    }

    private boolean covers(long step) {
        return step <= last && last != Long.MIN_VALUE && step > last - about.capacity();
    }
}
