package dev.onset.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

class MomentsTest {
    private static final Scope REDIS = Scope.redis("vision", "meta-a:6379");
    private static final long START = 1_796_000_400_000L;

    private final Moments moments = new Moments();

    private static Moment ping(long atMillis, double seconds, String id) {
        return new Moment(REDIS, Moment.Kind.PING, "", atMillis, 0, seconds, id);
    }

    private List<Moment> pings(double least) {
        return moments.of(REDIS, Moment.Kind.PING, 0, Long.MAX_VALUE, least);
    }

    @Test
    void pings_go_round_for_hours_and_only_what_is_kept_is_told() {
        for (int i = 0; i < 100_000; i++) {
            long at = START + i * 250L;
            moments.add(ping(at, (i % 1000) / 1e6, "a/" + i));
            moments.add(ping(at, (i % 1000) / 1e6, "a/" + i));
            if (i % 60 == 0) {
                moments.forgetBefore(at - 7_200_000);
            }
        }
        moments.forgetBefore(START + 99_999 * 250L - 7_200_000);
        assertThat(pings(0)).hasSize(28_801).isSortedAccordingTo((a, b) -> Long.compare(a.atMillis(), b.atMillis()));
        assertThat(pings(0.000_999)).hasSize(29).allMatch(ping -> ping.seconds() == 0.000_999);
    }

    @Test
    void a_lost_ping_is_longer_than_any() {
        moments.add(ping(START, Double.NaN, "x"));
        assertThat(pings(5)).singleElement().satisfies(ping -> assertThat(ping.seconds())
                .isNaN());
        assertThat(moments.roundTrips(START - 1, START)).containsExactly(Double.NaN);
        assertThat(moments.roundTrips(START, START + 1)).isEmpty();
    }

    @Test
    void two_pings_of_one_instant_are_two_when_they_say_so() {
        moments.add(ping(START, 0.001, "x"));
        moments.add(ping(START, 0.002, "y"));
        moments.add(ping(START, 0.001, "x"));
        assertThat(pings(0)).extracting(Moment::seconds).containsExactly(0.001, 0.002);
    }
}
