package dev.onset.timeline;

import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is kept about one scope: its columns, their sealed blocks, the times they share, its masks, facts and moments. */
final class ScopeColumns {
    /** Devices of a signal: a hostile exporter can name any number, a job has one for each accelerator. */
    private static final int MAX_PARTS = 512;

    private static final int MAX_JOB_PARTS = 4_096;

    /** The place of a signal among those of its kind of scope. */
    private static final int[] PLACE = new int[Signal.values().length];

    private static final int[] SIGNALS = new int[ScopeKind.values().length];

    static {
        for (Signal signal : Signal.values()) {
            PLACE[signal.ordinal()] = SIGNALS[signal.scope().ordinal()]++;
        }
    }

    final Scope scope;
    final Times times;
    final SharedBounds bounds;
    final Moments moments = new Moments();
    final Map<String, String> facts = new HashMap<>();
    /** Pings up to here are in the round-trip times of a closed step. */
    long pingsUntilMillis = Long.MIN_VALUE;

    long restartedStep = Long.MIN_VALUE;
    /** The latest step under {@link Mask#RESTART}. */
    long restartMaskedStep = Long.MIN_VALUE;

    long closedAt = Long.MIN_VALUE;
    long answeredStep = Long.MIN_VALUE;
    String version = "";
    boolean forgotten;

    private final int capacity;
    private final @Nullable Column[] plain;
    private final Map<Signal, TreeMap<String, Column>> parts = new HashMap<>(0);
    private final List<Column> all = new ArrayList<>();
    private int places;
    private byte @Nullable [] masks;

    private final Block.Packer packer;
    private final byte[] @Nullable [] blocks;
    private int newest;
    private long openStep;

    /**
     * @param first the first step that may get a cell
     */
    ScopeColumns(Scope scope, TimeAxis axis, int capacity, long first, Block.Packer packer, SharedBounds bounds) {
        this.scope = scope;
        this.capacity = capacity;
        this.packer = packer;
        this.bounds = bounds;
        times = new Times(axis, capacity);
        plain = new Column[SIGNALS[scope.kind().ordinal()]];
        blocks = new byte[(capacity + Block.STEPS - 1) / Block.STEPS][];
        // Each scope seals at a step of its own: no tick has to seal them all.
        openStep = first - Math.floorMod(first + scope.id().hashCode(), Block.STEPS);
    }

    int capacity() {
        return capacity;
    }

    /** The oldest step whose cells are open. */
    long openStep() {
        return openStep;
    }

    /** The block of a step that is sealed; null for one that is not kept. */
    byte @Nullable [] block(long step) {
        long back = (openStep - 1 - step) / Block.STEPS;
        return back >= blocks.length ? null : blocks[Math.floorMod(newest - (int) back, blocks.length)];
    }

    int cellInBlock(long step) {
        return Block.STEPS - 1 - (int) ((openStep - 1 - step) % Block.STEPS);
    }

    /** Once a block's steps are closed nothing can change in it. */
    void sealUpTo(long closedStep) {
        while (closedStep - openStep >= Block.STEPS - 1) {
            seal();
        }
    }

    void makeRoom(long step) {
        while (step - openStep >= Column.OPEN) {
            seal();
        }
    }

    private void seal() {
        packer.begin(places);
        for (Column column : all) {
            column.seal(packer);
        }
        newest = (newest + 1) % blocks.length;
        blocks[newest] = packer.finish();
        openStep += Block.STEPS;
    }

    /** Whether one more series of this signal can be kept. */
    boolean hasRoom(Signal signal, String part) {
        if (part.isEmpty()) {
            return true;
        }
        TreeMap<String, Column> known = parts.get(signal);
        int most = scope.kind() == ScopeKind.JOB ? MAX_JOB_PARTS : MAX_PARTS;
        return known == null || known.size() < most || known.containsKey(part);
    }

    @Nullable
    Column column(Signal signal, String part) {
        if (part.isEmpty() && signal.scope() == scope.kind()) {
            return plain[PLACE[signal.ordinal()]];
        }
        TreeMap<String, Column> known = parts.get(signal);
        return known == null ? null : known.get(part);
    }

    /** The column of a series, a new one where it is new. */
    Column columnFor(Signal signal, String part) {
        Column known = column(signal, part);
        if (known != null) {
            return known;
        }
        Column column = new Column(this, signal, part, places);
        places += Column.places(signal);
        all.add(column);
        if (part.isEmpty() && signal.scope() == scope.kind()) {
            plain[PLACE[signal.ordinal()]] = column;
        } else {
            parts.computeIfAbsent(signal, s -> new TreeMap<>()).put(part, column);
        }
        return column;
    }

    List<Column> all() {
        return all;
    }

    /** The devices, accelerators, ranks or file systems that a signal is known for, in order. */
    Iterable<Column> parts(Signal signal) {
        TreeMap<String, Column> known = parts.get(signal);
        return known == null ? List.of() : known.values();
    }

    /** Every column, signal by signal. */
    void inOrder(Consumer<Column> taker) {
        for (Signal signal : Signal.values()) {
            Column alone = column(signal, "");
            if (alone != null) {
                taker.accept(alone);
            }
            for (Column column : parts(signal)) {
                if (!column.equals(alone)) {
                    taker.accept(column);
                }
            }
        }
    }

    void mask(long step, Mask mask) {
        if (masks == null) {
            masks = new byte[capacity];
        }
        masks[slot(step)] |= (byte) mask.bit();
    }

    void unmask(long step) {
        if (masks != null) {
            masks[slot(step)] = 0;
        }
    }

    boolean masked(long step, Mask mask) {
        return masks != null && step >= closedAt && (masks[slot(step)] & mask.bit()) != 0;
    }

    private int slot(long step) {
        return (int) Math.floorMod(step, (long) capacity);
    }
}
