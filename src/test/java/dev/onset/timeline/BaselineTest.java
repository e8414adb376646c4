package dev.onset.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BaselineTest {
    @Test
    void median_and_deviation_are_those_of_the_latest_values() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 200; round++) {
            int capacity = 1 + random.nextInt(41);
            Baseline baseline = new Baseline(capacity);
            Deque<Double> latest = new ArrayDeque<>();
            assertThat(baseline.median()).isNaN();
            assertThat(baseline.deviation()).isNaN();
            for (int i = 0; i < 100; i++) {
                // Often equal, sometimes a negative zero.
                double value = random.nextBoolean() ? random.nextInt(-2, 3) * -1.0 : random.nextDouble(-1, 5);
                baseline.add(value);
                latest.add(value);
                if (latest.size() > capacity) {
                    latest.remove();
                }
                double[] values =
                        latest.stream().mapToDouble(Double::doubleValue).toArray();
                double median = Statistics.median(values);
                assertThat(baseline.size()).isEqualTo(values.length);
                assertThat(baseline.median()).isEqualTo(median);
                assertThat(baseline.deviation()).isEqualTo(Statistics.deviation(values, median));
            }
        }
    }
}
