package dev.onset.signals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BoundsTest {
    private static final Bound NEAR = new Bound("redis-memory-headroom", "near", 0.8, Unit.RATIO);

    @Test
    void a_group_s_own_value_stands_before_the_one_for_all_and_that_before_the_usual_one() {
        Bounds bounds = Bounds.of(
                Map.of("redis-memory-headroom/near", 0.7),
                Map.of("vision", Map.of("redis-memory-headroom/near", 0.9), "speech", Map.of()));

        assertThat(bounds.of(NEAR, "vision")).isEqualTo(0.9);
        assertThat(bounds.of(NEAR, "speech")).isEqualTo(0.7);
        assertThat(Bounds.USUAL.of(NEAR, "vision")).isEqualTo(0.8);
    }
}
