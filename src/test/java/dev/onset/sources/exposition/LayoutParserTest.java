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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LayoutParserTest {
    private final LayoutParser parser = new LayoutParser(EVERYTHING);
    /** Names and labels are told once; a reader keeps what it makes of them. */
    private final Map<LayoutParser, List<ExposedSample>> known = new HashMap<>();

    @Test
    void other_numbers_in_the_same_lines_keep_the_generation() {
        Body body = assertSameAsFull("# TYPE a counter\na{b=\"c\"} 1\nd 2 1796073199295\n");
        int generation = body.generation();

        assertSameAsFull("# TYPE a counter\na{b=\"c\"} 1.5e+09\nd NaN 1796073214295\n");
        assertSameAsFull("# TYPE a counter\na{b=\"c\"} 17\nd 3\n");
        assertEquals(generation, body.generation());
        assertEquals(ExposedSample.NO_TIMESTAMP, body.timestampMillis(1));
    }

    @Test
    void a_new_label_begins_a_generation() {
        int generation = assertSameAsFull("a 1\nb 2\n").generation();

        assertEquals(generation, assertSameAsFull("a 1\nb 3\n").generation());
        assertNotEquals(generation, assertSameAsFull("a{x=\"\"} 1\nb 3\n").generation());
    }

    @Test
    void targets_that_differ_in_their_name_alone_are_remembered_once() {
        Layouts layouts = new Layouts(1 << 20);
        LayoutParser one = new LayoutParser(EVERYTHING, layouts);
        LayoutParser other = new LayoutParser(EVERYTHING, layouts);

        assertSameAsFull(one, mount("gpu-01", 1));
        long bytes = layouts.bytes();
        assertSameAsFull(other, mount("a-much-longer-name.of.another.host", 2));
        assertSameAsFull(other, mount("a-much-longer-name.of.another.host", 17));
        assertSameAsFull(one, mount("gpu-01", 3));
        assertSameAsFull(one, mount("gpu-02", 3));
        assertSameAsFull(one, mount("gpu-2", 3));
        assertEquals(bytes, layouts.bytes());

        one.close();
        assertEquals(bytes, layouts.bytes());
        other.close();
        assertEquals(0, layouts.bytes());
    }

    @Test
    void what_does_not_fit_is_read_in_full() {
        Layouts layouts = new Layouts(10);
        LayoutParser small = new LayoutParser(EVERYTHING, layouts);

        assertSameAsFull(small, mount("gpu-01", 1));
        assertSameAsFull(small, mount("gpu-01", 2));
        assertEquals(0, layouts.bytes());
    }

    @Test
    void a_layout_that_always_changes_is_remembered_seldom() {
        for (int turn = 0; turn < 40; turn++) {
            assertSameAsFull("a{turn=\"" + turn + "\"} 1\nb 2\n");
        }
        for (int turn = 0; turn < 40; turn++) {
            assertSameAsFull("a 1\nb " + turn + "\n");
        }
        int generation = assertSameAsFull("a 1\nb 2\n").generation();

        assertEquals(generation, assertSameAsFull("a 1\nb 3\n").generation());
    }

    @Test
    void a_name_that_is_never_closed_is_a_fault_and_nothing_else() {
        for (String text : List.of(
                "a{instance=\"x\\\"} 1\nb 2\n",
                "a{instance=\"} 1\n",
                "a{instance=\"\"} 1\nb{instance=\"\"} 2\n",
                "a{x=\"instance=\\\"\"} 1\n")) {
            assertSameAsFull(text);
            assertSameAsFull(text);
            assertSameAsFull(text.replace('1', '7'));
        }
    }

    private static byte[] mount(String host, int number) {
        String labels = "instance=\"" + host + "\",mp=\"/jfs\"";
        return ("# TYPE a counter\na{" + labels + "} " + number + "\nb{errno=\"EIO\"," + labels + "} 1e" + number
                        + "\nc{x=\"" + "instance" + "\"} 4\n")
                .getBytes(UTF_8);
    }

    @Test
    void a_number_that_is_none_any_more_is_told_and_comes_back() {
        assertSameAsFull("a 1\nb 2\nc 3\n");

        Body broken = assertSameAsFull("a 10\nb two\nc 30\n");
        assertEquals(2, broken.size());
        assertEquals(
                List.of(2), broken.faults().stream().map(fault -> fault.line()).toList());
        assertEquals(3, assertSameAsFull("a 10\nb 20\nc 30\n").size());
    }

    @Test
    void whole_timestamps_stay_seconds_in_open_metrics() {
        assertSameAsFull("a 1 1796073199\n# EOF\n");

        assertEquals(1796073214000L, assertSameAsFull("a 2 1796073214\n# EOF\n").timestampMillis(0));
        assertEquals(1796073214L, assertSameAsFull("a 2 1796073214\n").timestampMillis(0));
    }

    @Test
    void a_repeated_series_stays_ignored() {
        assertSameAsFull("a 1\na 2\nb 3\n");

        Body body = assertSameAsFull("a 10\na 20\nb 30\n");
        assertEquals(10, body.value(0));
        assertEquals(1, body.duplicates());
    }

    @Test
    void what_the_line_ends_in_may_change() {
        assertSameAsFull("a 1\nb 2\n");

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
        assertSameAsFull("a{b=\"" + label + "\"} 1\n");

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

    private Body assertSameAsFull(String text) {
        return assertSameAsFull(text.getBytes(UTF_8));
    }

    private Body assertSameAsFull(byte[] bytes) {
        return assertSameAsFull(parser, bytes);
    }

    private Body assertSameAsFull(LayoutParser parser, byte[] bytes) {
        Exposition full = ExpositionParser.parse(bytes, bytes.length, EVERYTHING);
        Body body = parser.read(bytes, bytes.length);
        List<ExposedSample> series = body.series().isEmpty() ? known.getOrDefault(parser, List.of()) : body.series();
        known.put(parser, series);

        assertEquals(full.samples().size(), body.size());
        for (int i = 0; i < body.size(); i++) {
            assertEquals(full.samples().get(i), sample(series.get(i), body, i));
        }
        assertEquals(full.faults(), body.faults());
        assertEquals(full.faultyLines(), body.faultyLines());
        assertEquals(full.duplicates(), body.duplicates());
        assertEquals(full.lines(), body.lines());
        return body;
    }

    private static ExposedSample sample(ExposedSample series, Body body, int index) {
        return new ExposedSample(
                series.name(), series.labels(), body.value(index), body.timestampMillis(index), body.line(index));
    }
}
