package dev.onset.bench;

import java.io.IOException;
import java.lang.ref.Reference;

/** Prints the bytes that a cell of a full window takes, and how many cells a step of a mount has. */
public final class CellMemory {
    private static final int MOUNTS = 20;

    private CellMemory() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        new Watching().watch(30, MOUNTS);
        long before = inUse();
        Watching watching = new Watching();
        watching.watch(Watching.STEPS, MOUNTS);
        long cells = (long) watching.cells() * Watching.STEPS;
        long bytes = inUse() - before;
        System.out.println("{\"bytesPerCell\": " + bytes / (double) cells + ", \"cellsPerMount\": "
                + watching.cells() / (double) MOUNTS + "}");
        Reference.reachabilityFence(watching);
    }

    private static long inUse() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
