package dev.onset.sources.exposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The kept samples of one body, each name and label set once, whatever the order of the labels. */
final class SeenSeries {
    private final List<ExposedSample> samples = new ArrayList<>();
    private long[] hashes = new long[512];
    private int[] slots = new int[1024];

    /** Adds a sample unless one with its name and labels is there; {@code hash} does not depend on their order. */
    boolean add(long hash, ExposedSample sample) {
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        while (slots[slot] != 0) {
            int index = slots[slot] - 1;
            if (hashes[index] == hash && sameSeries(samples.get(index), sample)) {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        int index = samples.size();
        if (index == hashes.length) {
            grow();
            return add(hash, sample);
        }
        slots[slot] = index + 1;
        hashes[index] = hash;
        samples.add(sample);
        return true;
    }

    List<ExposedSample> samples() {
        return samples;
    }

    private void grow() {
        hashes = Arrays.copyOf(hashes, 2 * hashes.length);
        slots = new int[2 * slots.length];
        int mask = slots.length - 1;
        for (int index = 0; index < samples.size(); index++) {
            int slot = (int) hashes[index] & mask;
            while (slots[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index + 1;
        }
    }

    private static boolean sameSeries(ExposedSample a, ExposedSample b) {
        return a.name().equals(b.name()) && (a.labels().equals(b.labels()) || sameLabels(a.labels(), b.labels()));
    }

    private static boolean sameLabels(Labels a, Labels b) {
        if (a.pairs().size() != b.pairs().size()) {
            return false;
        }
        for (int i = 0; i < a.pairs().size(); i += 2) {
            if (!a.pairs().get(i + 1).equals(b.get(a.pairs().get(i)))) {
                return false;
            }
        }
        return true;
    }
}
