import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;

/**
 * Plays many JuiceFS mounts from one real mount's answers. Mounts are told apart by the address they are asked at: all of
 * 127.0.0.0/8 is this machine, so one listening socket is enough. One thread, because it shares the machine with what is
 * measured.
 *
 * <p>What moves, and how fast, is read off two answers of the real mount: counters and buckets go on at that rate, gauges
 * stay between the two. Each mount has a pace of its own. In an incident misses and object requests run forty times as
 * fast, reading half as fast, and accelerators fall with it.
 */
final class Fleet {
    private static final int GROUP = 100;
    private static final double RECORDED_SECONDS = 55.001;
    private static final double INCIDENT_SECONDS = 120;
    private static final double INCIDENT_EVERY_SECONDS = 600;
    private static final long DRIP_MILLIS = 250;
    private static final int HEAD = 256;

    private final int port;
    private final int mounts;
    private final int accelerators;
    private final double badShare;
    private final double oddShare;
    private final List<String> oddities;
    private final double incidentShare;
    private final Body body;
    private final long startMillis = System.currentTimeMillis();
    private final byte[] out = new byte[24 << 20];
    private final Map<Integer, Integer> asked = new HashMap<>();
    private final Set<Connection> dripping = new HashSet<>();
    private byte[] millionLines = {};
    private long nextDripMillis;
    private Selector selector;

    private long answers;
    private long failures;
    private long samples;
    private long bytes;
    private long connections;
    private int open;

    private Fleet(Map<String, String> options, Body body) {
        port = Integer.parseInt(options.getOrDefault("port", "19567"));
        mounts = Integer.parseInt(options.getOrDefault("mounts", "100"));
        accelerators = Integer.parseInt(options.getOrDefault("accelerators", "16"));
        badShare = Double.parseDouble(options.getOrDefault("bad", "0")) / 100;
        oddities = options.containsKey("odd") ? List.of(options.get("odd").split(",")) : List.of();
        oddShare = Double.parseDouble(options.getOrDefault("odd-share", "1")) / 100;
        incidentShare = Double.parseDouble(options.getOrDefault("incidents", "2")) / 100;
        this.body = body;
    }

    public static void main(String[] args) throws IOException {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i + 1 < args.length; i += 2) {
            options.put(args[i].substring(2), args[i + 1]);
        }
        Path folder = Path.of(args[0]);
        Body body = new Body(text(folder.resolve("mount-0s.txt.gz")), text(folder.resolve("mount-55s.txt.gz")));
        new Fleet(options, body).serve();
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    // ------------------------------------------------------------------------------------------------ connections

    /** One connection, and what is still to be sent on it. */
    private static final class Connection {
        final SocketChannel channel;
        final ByteBuffer request = ByteBuffer.allocate(4096);
        ByteBuffer unsent;
        boolean closeWhenSent;
        int samples;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    private void serve() throws IOException {
        selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        server.bind(new InetSocketAddress("0.0.0.0", port), 4096);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        System.out.println("fleet of " + mounts + " on port " + port);
        while (true) {
            selector.select(dripping.isEmpty() ? 0 : DRIP_MILLIS);
            Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
            while (keys.hasNext()) {
                SelectionKey key = keys.next();
                keys.remove();
                if (key.isAcceptable()) {
                    accept(server);
                } else {
                    go(key);
                }
            }
            drip();
        }
    }

    private void accept(ServerSocketChannel server) {
        try {
            for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_SNDBUF, 256 << 10);
                channel.register(selector, SelectionKey.OP_READ, new Connection(channel));
                connections++;
                open++;
            }
        } catch (IOException e) {
            failures++;
        }
    }

    private void go(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            if (key.isValid() && key.isWritable()) {
                send(key, connection);
            }
            if (key.isValid() && key.isReadable()) {
                read(key, connection);
            }
        } catch (IOException e) {
            close(connection);
        }
    }

    private void read(SelectionKey key, Connection connection) throws IOException {
        int read = connection.channel.read(connection.request);
        if (read < 0 || !connection.request.hasRemaining()) {
            close(connection);
            return;
        }
        byte[] request = connection.request.array();
        int length = connection.request.position();
        if (length < 4 || request[length - 1] != '\n' || request[length - 3] != '\n') {
            return;
        }
        connection.request.clear();
        String head = new String(request, 0, length, US_ASCII);
        connection.closeWhenSent = head.toLowerCase(Locale.ROOT).contains("connection: close");
        answer(key, connection, head);
    }

    private void answer(SelectionKey key, Connection connection, String head) throws IOException {
        byte[] address = ((InetSocketAddress) connection.channel.getLocalAddress()).getAddress().getAddress();
        int low = (address[2] & 0xff) * 250 + (address[3] & 0xff) - 1;
        if (address[1] == 0) {
            byte[] text = figures().getBytes(UTF_8);
            System.arraycopy(text, 0, out, HEAD, text.length);
            answer(key, connection, 200, text.length, text.length);
        } else if (!head.startsWith("GET /metrics ")) {
            answer(key, connection, 404, 0, 0);
        } else if ((address[1] & 0xff) == 200) {
            int length = accelerators(low);
            connection.samples = accelerators;
            answer(key, connection, 200, length, length);
        } else {
            mount((address[1] - 1) * 62_500 + low, key, connection);
        }
    }

    private void mount(int mount, SelectionKey key, Connection connection) throws IOException {
        int request = asked.merge(mount, 1, Integer::sum);
        double fate = fraction(mount * 31 + 7);
        if (fate < badShare) {
            if (fate >= badShare / 2) {
                head(200, 1 << 16);
                connection.channel.write(ByteBuffer.wrap(out, HEAD - headLength, headLength));
                dripping.add(connection);
            } // The others hang: nothing is ever answered.
            return;
        }
        String oddity = !oddities.isEmpty() && fate < badShare + oddShare
                ? oddities.get((int) ((fate - badShare) / oddShare * oddities.size()))
                : "";
        int acts = oddity.equals("two") && request % 2 == 0 ? mount + 5_000_000 : mount;
        int length = body.write(
                out, HEAD, String.format("n%05d", mount), String.format("vol-%04d", mount / GROUP), clocks(acts, mount / GROUP));
        connection.samples = body.samples;
        int promised = length;
        switch (oddity) {
            case "label" -> length = promised = insert(length, mount, request);
            case "cut" -> length = promised = length * 3 / 5 + request % 977;
            case "broken" -> {
                length = length * 3 / 5;
                connection.closeWhenSent = true;
                connection.samples = 0;
            }
            case "longlines" -> length = promised = longLines(length, mount);
            case "lines" -> length = promised = append(length, millionLines());
            case "stamps" -> length = promised = stamp(length, request);
            default -> {}
        }
        answer(key, connection, 200, length, promised);
    }

    private int headLength;

    private void head(int status, int promised) {
        byte[] head = ("HTTP/1.1 " + status + (status == 200 ? " OK" : " Not Found")
                        + "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: " + promised
                        + "\r\n\r\n")
                .getBytes(US_ASCII);
        headLength = head.length;
        System.arraycopy(head, 0, out, HEAD - head.length, head.length);
    }

    /** Sends {@code length} bytes from {@link #HEAD} on. */
    private void answer(SelectionKey key, Connection connection, int status, int length, int promised) throws IOException {
        head(status, promised);
        connection.unsent = ByteBuffer.wrap(out, HEAD - headLength, headLength + length);
        send(key, connection);
        if (connection.unsent != null) {
            // The others need the buffer.
            ByteBuffer rest = ByteBuffer.allocate(connection.unsent.remaining());
            rest.put(connection.unsent).flip();
            connection.unsent = rest;
        }
    }

    private void send(SelectionKey key, Connection connection) throws IOException {
        if (connection.unsent == null) {
            return;
        }
        bytes += connection.channel.write(connection.unsent);
        if (connection.unsent.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
            return;
        }
        connection.unsent = null;
        if (connection.samples > 0) {
            answers++;
            samples += connection.samples;
            connection.samples = 0;
        }
        if (connection.closeWhenSent) {
            close(connection);
        } else {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private void drip() {
        long now = System.currentTimeMillis();
        if (dripping.isEmpty() || now < nextDripMillis) {
            return;
        }
        nextDripMillis = now + DRIP_MILLIS;
        for (Connection connection : List.copyOf(dripping)) {
            try {
                connection.channel.write(ByteBuffer.wrap(new byte[] {'#'}));
            } catch (IOException e) {
                close(connection);
            }
        }
    }

    private void close(Connection connection) {
        dripping.remove(connection);
        if (connection.channel.isOpen()) {
            open--;
            if (connection.unsent != null) {
                failures++;
            }
            try {
                connection.channel.close();
            } catch (IOException e) {
                failures++;
            }
        }
    }

    private String figures() {
        double cpu = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1e9;
        int silent = 0;
        for (int mount = 0; mount < mounts; mount++) {
            silent += asked.containsKey(mount) ? 0 : 1;
        }
        return String.format(
                Locale.ROOT,
                "{\"mounts\": %d, \"bad\": %d, \"answers\": %d, \"failures\": %d, \"samples\": %d, \"bytes\": %d,"
                        + " \"connections\": %d, \"open\": %d, \"cpu\": %.3f, \"neverAsked\": %d, \"sampleLines\": %d}",
                mounts,
                bad(),
                answers,
                failures,
                samples,
                bytes,
                connections,
                open,
                cpu,
                silent,
                body.samples);
    }

    private int bad() {
        int bad = 0;
        for (int mount = 0; mount < mounts; mount++) {
            bad += fraction(mount * 31 + 7) < badShare ? 1 : 0;
        }
        return bad;
    }

    // ------------------------------------------------------------------------------------------------ movement

    /**
     * How far a mount has come, in seconds of the recorded one. A function of time alone, so nothing is kept per mount.
     *
     * @param base what its counters began with, as a share of the recorded ones
     */
    private record Clocks(double base, double reading, double missing, double wall, double wave) {}

    private Clocks clocks(int mount, int group) {
        double wall = (System.currentTimeMillis() - startMillis) / 1e3;
        double pace = 0.6 + 0.8 * fraction(mount * 7 + 1);
        double period = 90 + 120 * fraction(mount * 7 + 2);
        double turn = 2 * Math.PI * (wall / period + fraction(mount * 7 + 3));
        // Never backwards: the wave is slower than time itself.
        double even = wall + 0.2 * period / (2 * Math.PI) * (Math.sin(turn) + 1);
        double incident = incidentSeconds(group, wall);
        return new Clocks(
                0.3 + 1.2 * fraction(mount * 7 + 4),
                pace * (even - 0.5 * incident),
                pace * (even + 39 * incident),
                wall,
                Math.sin(turn));
    }

    /** How long the group has been in an incident since the start. */
    private double incidentSeconds(int group, double wall) {
        if (fraction(group * 13 + 5) >= incidentShare && !(group == 0 && incidentShare > 0)) {
            return 0;
        }
        // The first one comes after the baseline is learnt.
        double since = wall - 240;
        if (since < 0) {
            return 0;
        }
        double whole = Math.floor(since / INCIDENT_EVERY_SECONDS);
        return whole * INCIDENT_SECONDS + Math.min(INCIDENT_SECONDS, since - whole * INCIDENT_EVERY_SECONDS);
    }

    private static double fraction(int seed) {
        return new SplittableRandom(seed).nextInt(1 << 20) / (double) (1 << 20);
    }

    private int accelerators(int group) {
        double wall = (System.currentTimeMillis() - startMillis) / 1e3;
        boolean starved = incidentSeconds(group, wall) > incidentSeconds(group, wall - 30);
        StringBuilder text = new StringBuilder("# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n");
        for (int device = 0; device < accelerators; device++) {
            int use = starved ? 55 + (device * 7 + (int) wall) % 9 : 95 + (device + (int) wall) % 4;
            text.append(String.format(
                    "DCGM_FI_DEV_GPU_UTIL{gpu=\"%d\",UUID=\"GPU-%d-%d\",Hostname=\"n%05d\"} %d%n",
                    device % 8,
                    group,
                    device,
                    group * GROUP + device / 8,
                    use));
        }
        byte[] written = text.toString().getBytes(UTF_8);
        System.arraycopy(written, 0, out, HEAD, written.length);
        return written.length;
    }

    // ------------------------------------------------------------------------------------------------ odd answers

    /** A series that was not there before, and will not be there again. */
    private int insert(int length, int mount, int request) {
        int middle = HEAD + length / 2;
        while (out[middle - 1] != '\n') {
            middle++;
        }
        byte[] line = ("juicefs_fuse_ops_total{instance=\"n" + mount + "\",method=\"op" + request + "\",mp=\"/mnt/jfs\"} " + request
                        + "\n")
                .getBytes(UTF_8);
        System.arraycopy(out, middle, out, middle + line.length, HEAD + length - middle);
        System.arraycopy(line, 0, out, middle, line.length);
        return length + line.length;
    }

    private int longLines(int length, int mount) {
        byte[] line = new byte[1 << 20];
        Arrays.fill(line, (byte) 'x');
        byte[] start = ("juicefs_memory{of=\"" + mount).getBytes(UTF_8);
        byte[] end = "\"} 1\n".getBytes(UTF_8);
        System.arraycopy(start, 0, line, 0, start.length);
        System.arraycopy(end, 0, line, line.length - end.length, end.length);
        return append(append(append(length, line), line), line);
    }

    private byte[] millionLines() {
        if (millionLines.length == 0) {
            ByteArrayOutputStream lines = new ByteArrayOutputStream();
            for (int i = 0; i < 1_000_000; i++) {
                lines.writeBytes(("m{n=\"" + i + "\"} 1\n").getBytes(UTF_8));
            }
            millionLines = lines.toByteArray();
        }
        return millionLines;
    }

    private int append(int length, byte[] more) {
        System.arraycopy(more, 0, out, HEAD + length, more.length);
        return length + more.length;
    }

    /** A stamp on each line, up to ten years off. */
    private int stamp(int length, int request) {
        byte[] plain = Arrays.copyOfRange(out, HEAD, HEAD + length);
        SplittableRandom random = new SplittableRandom(request);
        int at = HEAD;
        boolean comment = false;
        for (int i = 0; i < plain.length; i++) {
            comment = i == 0 || plain[i - 1] == '\n' ? plain[i] == '#' : comment;
            if (plain[i] == '\n' && !comment) {
                out[at++] = ' ';
                at = Number.whole(out, at, System.currentTimeMillis() + random.nextLong(-315_360_000_000L, 315_360_000_000L));
            }
            out[at++] = plain[i];
        }
        return at - HEAD;
    }

    // ------------------------------------------------------------------------------------------------ the body

    /** The recorded answer, and where its numbers stand. */
    private static final class Body {
        private static final Set<String> GROWING_GAUGES = Set.of("juicefs_uptime", "juicefs_cpu_usage");

        final int samples;
        private static final double STARTED = Math.floor(System.currentTimeMillis() / 1e3);
        private final byte[] text;
        private final List<Slot> slots = new ArrayList<>();
        private final int[] hosts;
        private final int[] volumes;

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

        Body(String first, String second) {
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

        /** Both names have the length of the recorded ones. Answers how many bytes were written. */
        int write(byte[] out, int from, String host, String volume, Clocks clocks) {
            patch(hosts, host);
            patch(volumes, volume);
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
    }

    /** Numbers as Go writes them. */
    private static final class Number {
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
