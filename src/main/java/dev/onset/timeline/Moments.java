package dev.onset.timeline;

import dev.onset.signals.Moment;
import dev.onset.signals.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What happened to a Redis, in time order. Pings are many and alike, so each takes three ints: its time, how long it took
 * in whole microseconds, and the hash of its id. Events and slow commands are kept as they came. All are kept once.
 */
final class Moments {
    private static final int MOST = 40_000;
    private static final int LOST = -1;
    private static final int FEW = 64;
    /** Times are counted from here, so that they fit into ints for three weeks. */
    private static final long FARTHEST = Integer.MAX_VALUE;

    private final List<Moment> others = new ArrayList<>(0);
    private final Set<String> ids = new HashSet<>(0);
    private int[] at = {};
    private int[] micros = {};
    private int[] hashes = {};
    private long originMillis;
    private int from;
    private int to;

    void add(Moment moment) {
        if (moment.kind() == Moment.Kind.PING) {
            ping(moment.atMillis(), moment.seconds(), moment.id().hashCode());
        } else if (ids.add(key(moment))) {
            // Nearly always the newest; late ones (a latency history) are few.
            int place = others.size();
            while (place > 0 && others.get(place - 1).atMillis() > moment.atMillis()) {
                place--;
            }
            others.add(place, moment);
        }
    }

    private void ping(long atMillis, double seconds, int id) {
        if (from == to) {
            from = 0;
            to = 0;
            originMillis = atMillis;
        }
        if (Math.abs(atMillis - originMillis) > FARTHEST / 2) {
            return;
        }
        if (to == at.length) {
            makeRoom();
        }
        int time = (int) (atMillis - originMillis);
        int place = to;
        while (place > from && at[place - 1] > time) {
            place--;
        }
        for (int same = place; same > from && at[same - 1] == time; same--) {
            if (hashes[same - 1] == id) {
                return;
            }
        }
        System.arraycopy(at, place, at, place + 1, to - place);
        System.arraycopy(micros, place, micros, place + 1, to - place);
        System.arraycopy(hashes, place, hashes, place + 1, to - place);
        hashes[place] = id;
        at[place] = time;
        micros[place] = Double.isNaN(seconds) ? LOST : (int) Math.min(FARTHEST, Math.round(seconds * 1e6));
        to++;
    }

    /** Takes the place of pings that are gone, or more. */
    private void makeRoom() {
        int length = from > at.length / 4 ? at.length : Math.max(FEW, at.length * 5 / 4);
        int shift = from < to ? at[from] : 0;
        for (int i = from; i < to; i++) {
            at[i] -= shift;
        }
        originMillis += shift;
        at = moved(at, length);
        micros = moved(micros, length);
        hashes = moved(hashes, length);
        to -= from;
        from = 0;
    }

    private int[] moved(int[] old, int length) {
        int[] now = length == old.length ? old : new int[length];
        System.arraycopy(old, from, now, 0, to - from);
        return now;
    }

    void forgetBefore(long oldestMillis) {
        while (from < to && (originMillis + at[from] < oldestMillis || to - from > MOST)) {
            from++;
        }
        int gone = 0;
        while (gone < others.size() && (others.get(gone).atMillis() < oldestMillis || others.size() - gone > MOST)) {
            ids.remove(key(others.get(gone)));
            gone++;
        }
        if (gone > 0) {
            others.subList(0, gone).clear();
        }
    }

    /** Those of a kind in {@code [fromMillis, toMillis]} that took at least so long, or got no answer. */
    List<Moment> of(Scope redis, Moment.Kind kind, long fromMillis, long toMillis, double leastSeconds) {
        List<Moment> found = new ArrayList<>();
        Consumer<Moment> taker = moment -> {
            boolean inside = moment.atMillis() >= fromMillis && moment.atMillis() <= toMillis;
            if (inside && moment.kind() == kind && !(moment.seconds() < leastSeconds)) {
                found.add(moment);
            }
        };
        if (kind != Moment.Kind.PING) {
            others.forEach(taker);
            return found;
        }
        for (int i = from; i < to; i++) {
            if (!(seconds(i) < leastSeconds)) {
                long millis = originMillis + at[i];
                taker.accept(new Moment(redis, kind, "", millis, 0, seconds(i), Long.toString(millis)));
            }
        }
        return found;
    }

    /** Round trips of the pings in {@code (afterMillis, toMillis]}, seconds; NaN for those without an answer. */
    double[] roundTrips(long afterMillis, long toMillis) {
        int end = to;
        while (end > from && originMillis + at[end - 1] > toMillis) {
            end--;
        }
        int first = end;
        while (first > from && originMillis + at[first - 1] > afterMillis) {
            first--;
        }
        double[] seconds = new double[end - first];
        for (int i = first; i < end; i++) {
            seconds[i - first] = seconds(i);
        }
        return seconds;
    }

    private double seconds(int i) {
        return micros[i] == LOST ? Double.NaN : micros[i] / 1e6;
    }

    private static String key(Moment moment) {
        return moment.kind() + moment.id();
    }
}
