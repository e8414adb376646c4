package dev.onset.sources.scrape;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.IdentityHashMap;
import org.junit.jupiter.api.Test;

class BuffersTest {
    private final Buffers buffers = new Buffers(1 << 20);

    @Test
    void an_array_is_lent_again_once_it_is_given_back() {
        byte[] array = buffers.take(79_000);

        assertThat(array.length).isGreaterThanOrEqualTo(79_000);
        assertThat(buffers.take(79_000)).isNotSameAs(array);
        assertThat(buffers.giveBack(array)).isTrue();
        assertThat(buffers.take(79_000)).isSameAs(array);
    }

    @Test
    void what_is_given_back_twice_or_was_never_lent_is_lent_to_nobody() {
        byte[] array = buffers.take(100);

        assertThat(buffers.giveBack(array)).isTrue();
        assertThat(buffers.giveBack(array)).isFalse();
        assertThat(buffers.giveBack(new byte[1 << 14])).isFalse();
        assertThat(buffers.take(100)).isSameAs(array);
        assertThat(buffers.take(100)).isNotSameAs(array);
    }

    @Test
    void no_more_lies_idle_than_allowed_and_wanted_sizes_push_out_others() {
        IdentityHashMap<byte[], Boolean> large = new IdentityHashMap<>();
        for (int i = 0; i < 100; i++) {
            large.put(buffers.take(1 << 16), true);
        }
        byte[] small = buffers.take(10);
        large.keySet().forEach(buffers::giveBack);
        buffers.giveBack(small);

        assertThat(buffers.lentBytes()).isZero();
        assertThat(buffers.take(10)).isSameAs(small);
    }
}
