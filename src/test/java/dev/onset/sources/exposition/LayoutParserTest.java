package dev.onset.sources.exposition;

import static dev.onset.sources.exposition.Bodies.EVERYTHING;
import static dev.onset.sources.exposition.Bodies.recorded;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LayoutParserTest {
    private final LayoutParser parser = new LayoutParser(EVERYTHING);

    @Test
    void other_numbers_in_the_same_lines_keep_the_generation() {
        Body body = read("# TYPE a counter\na{b=\"c\"} 1\nd 2 1796073199295\n");
        int generation = body.generation();

        assertSameAsFull("# TYPE a counter\na{b=\"c\"} 1.5e+09\nd NaN 1796073214295\n");
        assertSameAsFull("# TYPE a counter\na{b=\"c\"} 17\nd 3\n");
        assertEquals(generation, body.generation());
        assertEquals(ExposedSample.NO_TIMESTAMP, body.timestampMillis(1));
    }

    @Test
    void a_new_label_changes_the_generation_and_a_new_comment_does_not() {
        int generation = read("a 1\nb 2\n").generation();

        assertEquals(generation, assertSameAsFull("# HELP a new\na 1\nb 3\n").generation());
        assertNotEquals(generation, assertSameAsFull("a{x=\"\"} 1\nb 3\n").generation());
    }

    @Test
    void a_number_that_is_none_any_more_is_told_and_comes_back() {
        read("a 1\nb 2\nc 3\n");

        Body broken = assertSameAsFull("a 10\nb two\nc 30\n");
        assertEquals(2, broken.size());
        assertEquals(
                List.of(2), broken.faults().stream().map(fault -> fault.line()).toList());
        assertEquals(3, assertSameAsFull("a 10\nb 20\nc 30\n").size());
    }

    @Test
    void whole_timestamps_stay_seconds_in_open_metrics() {
        read("a 1 1796073199\n# EOF\n");

        assertEquals(1796073214000L, assertSameAsFull("a 2 1796073214\n# EOF\n").timestampMillis(0));
        assertEquals(1796073214L, assertSameAsFull("a 2 1796073214\n").timestampMillis(0));
    }

    @Test
    void a_repeated_series_stays_ignored() {
        read("a 1\na 2\nb 3\n");

        Body body = assertSameAsFull("a 10\na 20\nb 30\n");
        assertEquals(10, body.value(0));
        assertEquals(1, body.duplicates());
    }

    @Test
    void what_the_line_ends_in_may_change() {
        read("a 1\nb 2\n");

        for (String text : List.of(
                "a 1\nb 2",
                "a 1\r\nb 2\r\n",
                "a 3 \nb 4\t\n",
                "a 1\rx\nb 2\n",
                "a 1\nb 2\n\n",
                "a 1\nb ",
                "a 1\nb",
                "a 1",
                "",
                "a 5 # {x=\"y\"} 1\nb 6\n",
                "a 5 # x\nb 6\n",
                "a 1\nb 2\nc 3\n",
                "a 1x\nb 2\n",
                "a 1\nb 2x\n")) {
            assertSameAsFull(text);
            assertSameAsFull("a 1\nb 2\n");
        }
    }

    @Test
    void numbers_too_long_for_a_line_are_no_exception() {
        String label = "x".repeat(ExpositionParser.MAX_LINE_BYTES - 20);
        read("a{b=\"" + label + "\"} 1\n");

        assertSameAsFull("a{b=\"" + label + "\"} 1234567890123456\n");
        assertSameAsFull("a{b=\"c\"} 1\n");
        Body body = assertSameAsFull("a{b=\"c\"} " + "1".repeat(ExpositionParser.MAX_LINE_BYTES) + "\n");
        assertEquals(1, body.faultyLines());
    }

    @Test
    void a_recorded_mount_that_restarts_is_read_as_by_the_full_parser() {
        List<String> bodies = List.of(new String(recorded("juicefs-restart.txt.gz"), UTF_8).split("\f", -1));
        int generations = 0;
        for (String text : bodies) {
            generations = assertSameAsFull(text).generation();
        }

        assertEquals(16, bodies.size());
        assertTrue(generations > 3 && generations < 10, generations + " layouts");
    }

    @Test
    void two_processes_that_take_turns_on_one_port_are_never_mixed() {
        for (int turn = 0; turn < 6; turn++) {
            assertSameAsFull(recorded(turn % 2 == 0 ? "node.txt.gz" : "juicefs.txt.gz"));
        }
    }

    @Test
    void mutated_sequences_are_read_as_by_the_full_parser() {
        Random random = new Random(11);
        List<String> lines = List.of(new String(recorded("juicefs.txt.gz"), UTF_8).split("\n"));
        for (int round = 0; round < 200; round++) {
            byte[] body = Mutations.some(Mutations.stretch(lines, random), random);
            assertSameAsFull(body);
            for (int scrape = 0; scrape < 3; scrape++) {
                assertSameAsFull(Mutations.numbers(body, random));
            }
            byte[] noisy = body.clone();
            if (noisy.length > 0) {
                Mutations.noise(noisy, random);
            }
            assertSameAsFull(noisy);
            assertSameAsFull(Arrays.copyOf(body, random.nextInt(body.length + 1)));
        }
    }

    @Test
    void noise_in_one_place_is_never_overlooked() {
        Random random = new Random(12);
        byte[] body = "x{y=\"z\"} 1\n# c\na{b=\"c\",d=\"e\"} 1.5e3 1796073199\nf 2\na{ 3\ng 7\n# EOF\n".getBytes(UTF_8);
        byte[] odd = "\"\\{}=,# \t\r\n\0e+.0a".getBytes(UTF_8);
        for (int at = 0; at < body.length; at++) {
            for (byte letter : odd) {
                assertSameAsFull(body);
                byte[] changed = body.clone();
                changed[at] = letter;
                assertSameAsFull(changed);
            }
            assertSameAsFull(body);
            assertSameAsFull(Mutations.numbers(body, random));
        }
    }

    @Test
    void an_unchanged_layout_allocates_nothing() {
        byte[] juicefs = recorded("juicefs.txt.gz");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        double sum = 0;
        for (int scrape = 0; scrape < 2_000; scrape++) {
            if (scrape == 1_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            Body body = parser.read(juicefs, juicefs.length);
            sum += body.value(0);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertTrue(sum > 0);
        assertEquals(0, allocated / 1_000, "bytes a scrape");
    }

    private Body read(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return parser.read(bytes, bytes.length);
    }

    private Body assertSameAsFull(String text) {
        return assertSameAsFull(text.getBytes(UTF_8));
    }

    private Body assertSameAsFull(byte[] bytes) {
        Exposition full = ExpositionParser.parse(bytes, bytes.length, EVERYTHING);
        Body body = parser.read(bytes, bytes.length);

        assertEquals(full.samples().size(), body.size());
        for (int i = 0; i < body.size(); i++) {
            assertEquals(full.samples().get(i), sample(body, i));
        }
        assertEquals(full.faults(), body.faults());
        assertEquals(full.faultyLines(), body.faultyLines());
        assertEquals(full.duplicates(), body.duplicates());
        assertEquals(full.lines(), body.lines());
        return body;
    }

    private static ExposedSample sample(Body body, int index) {
        return new ExposedSample(
                body.name(index), body.labels(index), body.value(index), body.timestampMillis(index), body.line(index));
    }
}
