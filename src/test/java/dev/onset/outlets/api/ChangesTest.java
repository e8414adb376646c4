package dev.onset.outlets.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;

/** The stream, read over a real connection. */
@SpringBootTest(classes = PagePreview.class, webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
@Timeout(60)
class ChangesTest {
    @Autowired
    private Changes changes;

    @LocalServerPort
    private int port;

    @Test
    void tells_a_reader_what_changed() throws Exception {
        try (Socket socket = listen()) {
            BufferedReader reader = reader(socket);
            until(reader, ":welcome");
            changes.publish(new Tick(1_796_073_210_000L, List.of("d1", "d2")));
            until(reader, "event:tick");
            assertThat(until(reader, "data:"))
                    .isEqualTo("data:{\"at\":\"2026-11-30T21:13:30.000Z\",\"changed\":[\"d1\",\"d2\"]}");
        }
    }

    @Test
    void sends_a_heartbeat() throws Exception {
        try (Socket socket = listen()) {
            BufferedReader reader = reader(socket);
            until(reader, ":welcome");
            changes.beat();
            until(reader, ":still here");
        }
    }

    @Test
    void lets_a_reader_go_that_does_not_keep_up_and_never_waits_for_it() throws Exception {
        try (Socket stuck = listen()) {
            until(reader(stuck), ":welcome");
            int before = changes.readers();
            List<String> many = Collections.nCopies(20_000, "a-diagnosis-id-of-some-length");
            Instant start = Instant.now();
            for (int i = 0; i < 400 && changes.readers() >= before; i++) {
                changes.publish(new Tick(i, many));
            }
            assertThat(changes.readers()).isLessThan(before);
            assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(20));
        }
    }

    private Socket listen() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        socket.getOutputStream()
                .write("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static String until(BufferedReader reader, String start) throws IOException {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("the stream ended before " + start);
    }
}
