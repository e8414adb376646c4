package dev.onset.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
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
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Plays many JuiceFS mounts from one real mount's answers. Mounts are told apart by the address they are asked at: all of
 * 127.0.0.0/8 is this machine, so one listening socket is enough. One thread, because it shares the machine with what is
 * measured. In an incident misses and object requests run forty times as fast, reading half as fast, and accelerators fall.
 */
public final class Fleet {
    private static final int GROUP = 100;
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
    private final PlayedMount body;
    private final long startMillis = System.currentTimeMillis();
    private final byte[] out = new byte[24 << 20];
    private final Map<Integer, Integer> asked = new HashMap<>();
    private final Set<Connection> dripping = new HashSet<>();
    private byte[] millionLines = {};
    private long nextDripMillis;
    private int headLength;
    private Selector selector;

    private long answers;
    private long failures;
    private long samples;
    private long bytes;
    private long connections;
    private int open;

    private Fleet(Map<String, String> options, PlayedMount body) {
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
        new Fleet(options, PlayedMount.recordedIn(folder)).serve();
    }

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
        byte[] address = ((InetSocketAddress) connection.channel.getLocalAddress())
                .getAddress()
                .getAddress();
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
        double fate = PlayedMount.fraction(mount * 31 + 7);
        if (fate < badShare) {
            if (fate >= badShare / 2) {
                head(200, 1 << 16);
                connection.channel.write(ByteBuffer.wrap(out, HEAD - headLength, headLength));
                dripping.add(connection);
            } // The others hang: nothing is ever answered.
            return;
        }
        String oddity = oddity(fate);
        int acts = oddity.equals("two") && request % 2 == 0 ? mount + 5_000_000 : mount;
        double wall = wallSeconds();
        int length = body.write(
                out, HEAD, mount, mount / GROUP, PlayedMount.clocks(acts, wall, incidentSeconds(mount / GROUP, wall)));
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
            case "longlines" -> length = promised = longLines(length);
            case "lines" -> length = promised = append(length, millionLines());
            case "stamps" -> length = promised = stamp(length, request);
            default -> {}
        }
        answer(key, connection, 200, length, promised);
    }

    private String oddity(double fate) {
        return !oddities.isEmpty() && fate >= badShare && fate < badShare + oddShare
                ? oddities.get((int) ((fate - badShare) / oddShare * oddities.size()))
                : "";
    }

    /** The mounts by what is odd about them, as JSON. */
    private String odd() {
        Map<String, List<Integer>> odd = new TreeMap<>();
        for (int mount = 0; mount < mounts; mount++) {
            String oddity = oddity(PlayedMount.fraction(mount * 31 + 7));
            if (!oddity.isEmpty()) {
                odd.computeIfAbsent(oddity, kind -> new ArrayList<>()).add(mount);
            }
        }
        return odd.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\": " + entry.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private void head(int status, int promised) {
        byte[] head = ("HTTP/1.1 " + status + (status == 200 ? " OK" : " Not Found")
                        + "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: " + promised
                        + "\r\n\r\n")
                .getBytes(US_ASCII);
        headLength = head.length;
        System.arraycopy(head, 0, out, HEAD - head.length, head.length);
    }

    /** Sends {@code length} bytes from {@link #HEAD} on. */
    private void answer(SelectionKey key, Connection connection, int status, int length, int promised)
            throws IOException {
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
                        + " \"connections\": %d, \"open\": %d, \"cpu\": %.3f, \"neverAsked\": %d, \"odd\": %s}",
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
                odd());
    }

    private int bad() {
        int bad = 0;
        for (int mount = 0; mount < mounts; mount++) {
            bad += PlayedMount.fraction(mount * 31 + 7) < badShare ? 1 : 0;
        }
        return bad;
    }

    private double wallSeconds() {
        return (System.currentTimeMillis() - startMillis) / 1e3;
    }

    /** How long the group has been in an incident since the start. */
    private double incidentSeconds(int group, double wall) {
        if (PlayedMount.fraction(group * 13 + 5) >= incidentShare && !(group == 0 && incidentShare > 0)) {
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

    private int accelerators(int group) {
        double wall = wallSeconds();
        boolean starved = incidentSeconds(group, wall) > incidentSeconds(group, wall - 30);
        StringBuilder text = new StringBuilder("# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n");
        for (int device = 0; device < accelerators; device++) {
            int use = starved ? 55 + (device * 7 + (int) wall) % 9 : 95 + (device + (int) wall) % 4;
            text.append(String.format(
                    "DCGM_FI_DEV_GPU_UTIL{gpu=\"%d\",UUID=\"GPU-%d-%d\",Hostname=\"n%05d\"} %d%n",
                    device % 8, group, device, group * GROUP + device / 8, use));
        }
        byte[] written = text.toString().getBytes(UTF_8);
        System.arraycopy(written, 0, out, HEAD, written.length);
        return written.length;
    }

    /** A series that was not there before, and will not be there again. */
    private int insert(int length, int mount, int request) {
        int middle = HEAD + length / 2;
        while (out[middle - 1] != '\n') {
            middle++;
        }
        byte[] line = ("juicefs_fuse_ops_total{instance=\"n" + mount + "\",method=\"op" + request
                        + "\",mp=\"/mnt/jfs\"} " + request + "\n")
                .getBytes(UTF_8);
        System.arraycopy(out, middle, out, middle + line.length, HEAD + length - middle);
        System.arraycopy(line, 0, out, middle, line.length);
        return length + line.length;
    }

    /** Two lines that are just not too long for a reader that takes 1 MiB, and one that is. */
    private int longLines(int length) {
        return append(
                append(append(length, longLine(0, 1_000_000)), longLine(1, 1_000_000)), longLine(2, (1 << 20) + 64));
    }

    private static byte[] longLine(int number, int length) {
        byte[] line = new byte[length];
        Arrays.fill(line, (byte) 'x');
        byte[] start = ("juicefs_long{of=\"" + number).getBytes(UTF_8);
        byte[] end = "\"} 1\n".getBytes(UTF_8);
        System.arraycopy(start, 0, line, 0, start.length);
        System.arraycopy(end, 0, line, line.length - end.length, end.length);
        return line;
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
                at = PlayedMount.Number.whole(
                        out, at, System.currentTimeMillis() + random.nextLong(-315_360_000_000L, 315_360_000_000L));
            }
            out[at++] = plain[i];
        }
        return at - HEAD;
    }
}
