package dev.onset.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is kept, in bytes. Blocks are counted exactly; the heap is measured over so many mounts that nothing else shows. */
class MemoryTest {
    private static final long FIRST = 119_733_360;
    private static final int COLUMN_WORD = 4;
    private static final int BLOCK = 4 + 1;

    private final SplittableRandom random = new SplittableRandom(5);

    /** Bytes of one sealed block with one column. */
    private static int block(Signal signal, IntToDoubleFunction value) {
        ScopeColumns mount = new ScopeColumns(
                Scope.mount("vision", "imagenet", "gpu-01", "/mnt/jfs"),
                new TimeAxis(15_000),
                480,
                FIRST,
                new Block.Packer(),
                new SharedBounds());
        Column column = mount.columnFor(signal, "");
        for (int step = 0; step < 2 * Block.STEPS + 1; step++) {
            column.put(FIRST + step, value.applyAsDouble(step));
            mount.sealUpTo(FIRST + step);
        }
        byte[] newest = mount.block(mount.openStep() - 1);
        return newest == null ? 0 : newest.length - BLOCK - COLUMN_WORD;
    }

    @ParameterizedTest
    @CsvSource({"HIT_BYTES, 2", "READ_LATENCY, 2", "OPEN_HANDLES, 1", "CACHED_BLOCKS, 2", "CACHED_BYTES, 4"})
    void a_cell_takes_so_many_bytes(Signal signal, int bytes) {
        int most = bytes == 1 ? 200 : bytes == 2 ? 60_000 : 1_000_000_000;
        assertThat(block(signal, step -> most + random.nextInt(most)))
                .isBetween(bytes * Block.STEPS, bytes * Block.STEPS + 8);
    }

    @Test
    void a_column_that_stands_still_takes_no_cells() {
        assertThat(block(Signal.PUT_BYTES, step -> 0)).isZero();
        assertThat(block(Signal.USED_SPACE, step -> 41e12)).isEqualTo(8);
    }

    @Test
    void a_mount_that_reads_for_training_takes_about_a_hundred_kilobytes_for_two_hours() {
        int mounts = 100;
        Fleet fleet = new Fleet(mounts);
        Timeline timeline = Timeline.of(new TimeAxis(15_000), 1);
        long before = used();
        for (int step = 0; step < 540; step++) {
            fleet.step(step).forEach(timeline::accept);
            timeline.close(Fleet.number(step));
        }
        assertThat((used() - before) / mounts).isLessThan(130_000);
        assertThat(timeline.closedStep()).isEqualTo(Fleet.number(539));
    }

    private static long used() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
