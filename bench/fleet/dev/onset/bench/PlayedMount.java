package dev.onset.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;

/**
 * A recorded mount that goes on. What moves, and how fast, is read off two of its answers: counters and buckets go on at that
 * rate, gauges stay between the two.
 */
public final class PlayedMount {
    private static final double RECORDED_SECONDS = 55.001;
    private static final Set<String> GROWING_GAUGES = Set.of("juicefs_uptime", "juicefs_cpu_usage");

    private static final double STARTED = Math.floor(System.currentTimeMillis() / 1e3);

    /** Lines that are no comments. */
    public final int samples;

    private final byte[] text;
    private final List<Slot> slots = new ArrayList<>();
    private final int[] hosts;
    private final int[] volumes;

    /**
     * How far a mount has come, in seconds of the recorded one.
     *
     * @param base what its counters began with, as a share of the recorded ones
     * @param wave where its gauges are, from -1 to 1
     */
    public record Clocks(double base, double reading, double missing, double wall, double wave) {}

    /** A number that moves. */
    private record Slot(int from, int to, Kind kind, double first, double second, boolean whole) {
        double rate() {
            return (second - first) / RECORDED_SECONDS;
        }
    }

    private enum Kind {
        READING,
        MISSING,
        GAUGE,
        UPTIME,
        START
    }

    /** @param folder holds the two answers */
    public static PlayedMount recordedIn(Path folder) throws IOException {
        return new PlayedMount(text(folder.resolve("mount-0s.txt.gz")), text(folder.resolve("mount-55s.txt.gz")));
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    /**
     * A function of time alone, so nothing is kept for a mount.
     *
     * @param incident how many of the seconds were in an incident
     */
    public static Clocks clocks(int mount, double wall, double incident) {
        double pace = 0.6 + 0.8 * fraction(mount * 7 + 1);
        double period = 90 + 120 * fraction(mount * 7 + 2);
        double turn = 2 * Math.PI * (wall / period + fraction(mount * 7 + 3));
        // Never backwards: the wave is slower than time itself.
        double even = wall + 0.2 * period / (2 * Math.PI) * (Math.sin(turn) + 1);
        return new Clocks(
                0.3 + 1.2 * fraction(mount * 7 + 4),
                pace * (even - 0.5 * incident),
                pace * (even + 39 * incident),
                wall,
                Math.sin(turn));
    }

    /** The same number from 0 to 1 for the same seed. */
    static double fraction(int seed) {
        return new SplittableRandom(seed).nextInt(1 << 20) / (double) (1 << 20);
    }

    private PlayedMount(String first, String second) {
        text = second.getBytes(UTF_8);
        Map<String, String> types = new HashMap<>();
        String[] before = first.split("\n");
        String[] after = second.split("\n");
        int count = 0;
        int at = 0;
        for (int line = 0; line < after.length; line++) {
            String now = after[line];
            if (now.startsWith("# TYPE ")) {
                String[] words = now.split(" ");
                types.put(words[2], words[3]);
            }
            if (!now.startsWith("#")) {
                count++;
                String name = now.substring(0, now.indexOf('{'));
                String was = before[line].substring(before[line].lastIndexOf(' ') + 1);
                String is = now.substring(now.lastIndexOf(' ') + 1);
                if (!was.equals(is) || name.equals("juicefs_process_start_time_seconds")) {
                    double a = Double.parseDouble(was);
                    double b = Double.parseDouble(is);
                    boolean whole = a == Math.rint(a) && b == Math.rint(b);
                    int end = at + now.getBytes(UTF_8).length;
                    slots.add(new Slot(end - is.length(), end, kind(name, types), a, b, whole));
                }
            }
            at += now.getBytes(UTF_8).length + 1;
        }
        samples = count;
        hosts = places(second, "instance=\"");
        volumes = places(second, "vol_name=\"");
    }

    private static Kind kind(String name, Map<String, String> types) {
        if (name.equals("juicefs_process_start_time_seconds")) {
            return Kind.START;
        }
        if (name.equals("juicefs_uptime")) {
            return Kind.UPTIME;
        }
        if ("gauge".equals(types.get(name)) && !GROWING_GAUGES.contains(name)) {
            return Kind.GAUGE;
        }
        boolean missing = name.startsWith("juicefs_blockcache_miss")
                || name.startsWith("juicefs_blockcache_write")
                || name.startsWith("juicefs_object_request");
        return missing ? Kind.MISSING : Kind.READING;
    }

    private static int[] places(String text, String label) {
        List<Integer> places = new ArrayList<>();
        for (int at = text.indexOf(label); at >= 0; at = text.indexOf(label, at + 1)) {
            places.add(at + label.length());
        }
        return places.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Writes an answer from {@code from} on, and answers how many bytes that were. */
    public int write(byte[] out, int from, int mount, int volume, Clocks clocks) {
        // As long as the recorded names, so that they can be put in place.
        patch(hosts, String.format("n%05d", mount));
        patch(volumes, String.format("vol-%04d", volume));
        int at = from;
        int done = 0;
        for (Slot slot : slots) {
            System.arraycopy(text, done, out, at, slot.from - done);
            at = value(out, at + slot.from - done, slot, clocks);
            done = slot.to;
        }
        System.arraycopy(text, done, out, at, text.length - done);
        return at + text.length - done - from;
    }

    private void patch(int[] places, String name) {
        byte[] bytes = name.getBytes(US_ASCII);
        for (int place : places) {
            System.arraycopy(bytes, 0, text, place, bytes.length);
        }
    }

    private int value(byte[] out, int at, Slot slot, Clocks clocks) {
        double value =
                switch (slot.kind) {
                    case READING -> clocks.base * slot.second + slot.rate() * clocks.reading;
                    case MISSING -> clocks.base * slot.second + slot.rate() * clocks.missing;
                    case GAUGE -> slot.first + (slot.second - slot.first) * (0.5 + 0.5 * clocks.wave);
                    case UPTIME -> 3600 * (1 + 40 * clocks.base) + clocks.wall;
                    case START -> STARTED - Math.floor(3600 * (1 + 40 * clocks.base));
                };
        boolean whole = slot.whole && slot.kind != Kind.UPTIME;
        return whole ? Number.whole(out, at, (long) Math.floor(value)) : Number.broken(out, at, value);
    }

    /** Numbers as Go writes them. */
    static final class Number {
        private Number() {}

        static int whole(byte[] out, int at, long value) {
            if (value < 0) {
                out[at] = '-';
                return whole(out, at + 1, -value);
            }
            int digits = 1;
            for (long rest = value; rest >= 10; rest /= 10) {
                digits++;
            }
            // Large floats have an exponent; time stamps, which are integers, do not.
            boolean exponent = digits > 6 && digits < 13;
            int last = at + digits - 1 + (exponent ? 1 : 0);
            int end = last + 1;
            boolean trailing = exponent;
            long rest = value;
            for (int i = last; i >= at; i--) {
                if (exponent && i == at + 1) {
                    out[i] = '.';
                    continue;
                }
                int digit = (int) (rest % 10);
                rest /= 10;
                out[i] = (byte) ('0' + digit);
                if (trailing && digit == 0 && i > at + 1) {
                    end = i;
                } else {
                    trailing = false;
                }
            }
            if (!exponent) {
                return end;
            }
            if (end == at + 2) {
                end = at + 1; // 3e+06, not 3.e+06
            }
            return exponent(out, end, digits - 1);
        }

        private static int exponent(byte[] out, int at, int exponent) {
            out[at] = 'e';
            out[at + 1] = (byte) (exponent < 0 ? '-' : '+');
            int positive = Math.abs(exponent);
            out[at + 2] = (byte) ('0' + positive / 10);
            out[at + 3] = (byte) ('0' + positive % 10);
            return at + 4;
        }

        static int broken(byte[] out, int at, double value) {
            String text = Double.toString(value);
            int e = text.indexOf('E');
            String digits = e < 0 ? text : text.substring(0, e);
            int end = at;
            for (int i = 0; i < digits.length(); i++) {
                out[end++] = (byte) digits.charAt(i);
            }
            if (digits.endsWith(".0")) {
                end -= 2;
            }
            return e < 0 ? end : exponent(out, end, Integer.parseInt(text.substring(e + 1)));
        }
    }
}
