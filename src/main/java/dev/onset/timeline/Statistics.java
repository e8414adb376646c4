package dev.onset.timeline;

import java.util.Arrays;

/** The few statistics that rules stand on. */
public final class Statistics {
    /** Makes the median absolute deviation of normal noise comparable to a standard deviation. */
    private static final double NORMAL = 1.4826;

    private Statistics() {}

    /** Median; NaN for no values. */
    public static double median(double[] values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Median absolute deviation, scaled; NaN for no values. */
    public static double deviation(double[] values, double median) {
        double[] distances = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            distances[i] = Math.abs(values[i] - median);
        }
        return scaled(median(distances));
    }

    static double scaled(double medianDistance) {
        return medianDistance * NORMAL;
    }

    /** Quantile of a histogram with this many observations in each bucket, interpolated inside the bucket. */
    static double quantile(double[] bounds, double[] moved, double q) {
        double total = Arrays.stream(moved).sum();
        if (total <= 0) {
            return Double.NaN;
        }
        double rank = q * total;
        double seen = 0;
        for (int i = 0; i < moved.length; i++) {
            if (seen + moved[i] >= rank && moved[i] > 0) {
                double low = i == 0 ? 0 : bounds[i - 1];
                // Above the last finite bound nothing can be interpolated: at least that much.
                return Double.isInfinite(bounds[i]) ? low : low + (bounds[i] - low) * (rank - seen) / moved[i];
            }
            seen += moved[i];
        }
        return bounds[bounds.length - 1];
    }

    /** Probability of {@code hits} or more of {@code tries} when each succeeds with probability {@code p}. */
    public static double binomialTail(int tries, int hits, double p) {
        if (hits <= 0 || p >= 1) {
            return 1;
        }
        if (p <= 0) {
            return 0;
        }
        double tail = 0;
        for (int k = hits; k <= tries; k++) {
            double log = 0;
            for (int i = 1; i <= k; i++) {
                log += Math.log(tries - k + i) - Math.log(i);
            }
            tail += Math.exp(log + k * Math.log(p) + (tries - k) * Math.log1p(-p));
        }
        return Math.min(1, tail);
    }

    /** Spearman's rank correlation; NaN below three pairs. */
    public static double rankCorrelation(double[] x, double[] y) {
        int n = x.length;
        if (n < 3 || y.length != n) {
            return Double.NaN;
        }
        double[] a = ranks(x);
        double[] b = ranks(y);
        double mean = (n - 1) / 2.0;
        double top = 0;
        double left = 0;
        double right = 0;
        for (int i = 0; i < n; i++) {
            top += (a[i] - mean) * (b[i] - mean);
            left += (a[i] - mean) * (a[i] - mean);
            right += (b[i] - mean) * (b[i] - mean);
        }
        return left == 0 || right == 0 ? Double.NaN : top / Math.sqrt(left * right);
    }

    private static double[] ranks(double[] values) {
        double[] ranks = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            double rank = 0;
            for (int j = 0; j < values.length; j++) {
                if (j != i) {
                    rank += values[j] < values[i] ? 1 : values[j] == values[i] ? 0.5 : 0;
                }
            }
            ranks[i] = rank;
        }
        return ranks;
    }
}
