package dev.onset.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The mounts of a fleet have histograms with the same few bounds: each is kept once. */
final class SharedBounds {
    private static final int MOST = 64;

    private final List<double[]> known = new ArrayList<>();

    double[] shared(double[] bounds) {
        for (double[] each : known) {
            if (Arrays.equals(each, bounds)) {
                return each;
            }
        }
        if (known.size() < MOST) {
            known.add(bounds);
        }
        return bounds;
    }
}
