package dev.onset.sources.exposition;

import static dev.onset.sources.exposition.Bodies.EVERYTHING;
import static dev.onset.sources.exposition.Bodies.parse;
import static dev.onset.sources.exposition.Bodies.recorded;
import static dev.onset.sources.exposition.Bodies.shown;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.onset.signals.Fault;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpositionParserTest {
    private static final String OPEN_METRICS = """
            # TYPE juicefs_blockcache_hits unknown
            juicefs_blockcache_hits{instance="node-a",mp="jfs",vol_name="vol1"} 1200.0
            # TYPE juicefs_fuse_ops counter
            juicefs_fuse_ops_total{instance="node-a",method="read",mp="jfs",vol_name="vol1"} 17130.0
            # TYPE juicefs_object_request_durations_histogram_seconds histogram
            juicefs_object_request_durations_histogram_seconds_bucket{instance="node-a",le="1.0",method="GET"} 5
            juicefs_object_request_durations_histogram_seconds_bucket{instance="node-a",le="+Inf",method="GET"} 5
            juicefs_object_request_durations_histogram_seconds_sum{instance="node-a",method="GET"} 0.79
            # EOF
            """;

    @Test
    void both_spellings_of_one_target_give_the_same_series_and_the_same_buckets() {
        String plain = OPEN_METRICS
                .replace("unknown", "counter")
                .replace("1.0\"", "1\"")
                .replace(".0\n", "\n")
                .replace("# EOF\n", "");

        Exposition one = parse(OPEN_METRICS);
        Exposition other = parse(plain);

        assertEquals(bounds(one), bounds(other));
        assertEquals(names(one), names(other));
        assertEquals(values(one), values(other));
        assertEquals(List.of(), one.faults());
        assertEquals(List.of(1.0, Double.POSITIVE_INFINITY), bounds(one));
    }

    @Test
    void whatever_follows_the_end_mark_is_ignored_and_told_once() {
        Exposition read = parse(OPEN_METRICS + "\n\njuicefs_uptime 1\njuicefs_uptime{ 2\n");

        assertEquals(5, read.samples().size());
        assertFault(read, 12, "text behind # EOF was ignored, from “juicefs_uptime 1” on");
        assertEquals(List.of(), parse(OPEN_METRICS + " \r\n\n").faults());
    }

    @Test
    void the_first_of_several_lines_with_one_name_and_one_label_set_wins_and_the_others_are_counted() {
        Exposition read = parse("""
                ops{method="read",mp="a"} 1
                ops{mp="a",method="read"} 2
                ops{method="read",mp="a",} 3
                ops{method="read"} 4
                path{p="\\\\d"} 5
                path{p="\\d"} 6
                """);

        assertEquals(
                List.of("ops[method, read, mp, a] 1.0", "ops[method, read] 4.0", "path[p, \\d] 5.0"),
                shown(read.samples()));
        assertEquals(3, read.duplicates());
        assertEquals(0, read.faultyLines());
    }

    @Test
    void a_stats_text_without_labels_that_repeats_a_name_keeps_the_first_of_each() {
        Exposition read = parse("""
                juicefs_meta_ops_total 101
                juicefs_meta_ops_sum 1.305467913
                juicefs_meta_ops_total 205
                juicefs_meta_ops_sum 1.6931756689999993
                juicefs_meta_ops_total 211
                juicefs_meta_ops_sum 0.05859979800000001
                juicefs_meta_ops_total 315
                juicefs_meta_ops_sum 0.09348225000000002
                """);

        assertEquals(
                List.of("juicefs_meta_ops_total[] 101.0", "juicefs_meta_ops_sum[] 1.305467913"), shown(read.samples()));
        assertEquals(6, read.duplicates());
    }

    @Test
    void a_recorded_stats_text_is_read_like_any_other() {
        Exposition read = parse(recorded("juicefs-stats.txt"));

        assertEquals(40, read.samples().size());
        assertEquals("juicefs_blockcache_blocks[] 980.0", shown(read.samples().get(0)));
        assertEquals(0, read.faultyLines() + read.duplicates());
    }

    @Test
    void trailing_blanks_and_stray_second_numbers_and_a_missing_last_newline_are_accepted() {
        List<String> expected = List.of(
                "suminfo_oss_sum[] 4424.0",
                "suminfo_osssize_sum[] 0.0 @1",
                "late[a, b] 3.0 @1796030000000",
                "last[] 7.0");
        String body = "suminfo_oss_sum 4424 \nsuminfo_osssize_sum 0 1\nlate{a=\"b\"} 3 1796030000000\t\n\n  last 7";

        assertEquals(expected, shown(parse(body).samples()));
        assertEquals(expected, shown(parse(body.replace("\n", "\r\n")).samples()));
        assertEquals(expected, shown(parse(body.replace("\n", "\r\n") + "\r").samples()));
        assertEquals(0, parse(body).faultyLines());
    }

    @Test
    void an_empty_body_has_no_samples_and_no_faults() {
        assertEquals(new Exposition(List.of(), List.of(), 0, 0, 0), parse(""));
        assertEquals(new Exposition(List.of(), List.of(), 0, 0, 3), parse("\n \r\n\t"));
    }

    @Test
    void one_unescaped_quote_costs_its_own_line_only() {
        String good = "juicefs_staging_blocks{instance=\"node-%d\",mp=\"/jfs\"} %d\n";
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            body.append(good.formatted(i, i));
        }
        body.append("juicefs_uptime{instance=\"node-a\",mp=\"data 14\" disk\",vol_name=\"vol1\"} 100\n");
        body.append("juicefs_uptime{instance=\"node-a\",mp=\"data 14\\\" disk\\\\a\\nb\",vol_name=\"vol1\"} 100\n");
        for (int i = 5; i < 10; i++) {
            body.append(good.formatted(i, i));
        }

        Exposition read = parse(body.toString());

        assertEquals(11, read.samples().size());
        assertEquals("data 14\" disk\\a\nb", read.samples().get(5).labels().get("mp"));
        assertEquals(7, read.samples().get(5).line());
        assertFault(
                read, 6, "unescaped quote in label “mp”, or a missing comma, before “ disk\",vol_name=\"vol1\"} 100”");
        assertTrue(read.faults().get(0).reason().zh().contains("标签“mp”的值含有未转义的引号"));
    }

    @Test
    void the_format_shows_in_the_body_so_a_header_is_not_needed() {
        assertEquals(
                List.of("up[] 1.0 @1796073199295"),
                shown(parse("up 1 1796073199295\n").samples()));
        assertEquals(
                List.of("up[] 1.0 @1796073199000"),
                shown(parse("up 1 1796073199\n# EOF\n").samples()));
        assertEquals(
                List.of("up[] 1.0 @1796073199295"),
                shown(parse("up 1 1796073199.295\n# EOF").samples()));
        assertEquals(
                List.of("up[] 1.0 @1796073199295"),
                shown(parse("up 1 1.796073199295e+09\n").samples()));
    }

    @Test
    void a_page_of_html_is_nothing_but_faults() {
        Exposition read = parse("<!DOCTYPE html>\n<html><body>\nLogin, please: 1\n</body></html>\n");

        assertEquals(List.of(), read.samples());
        assertEquals(4, read.faultyLines());
        assertEquals(
                "no metric name where the line begins with “<!DOCTYPE html>”",
                read.faults().get(0).reason().en());
    }

    @Test
    void exemplars_are_passed_over_whatever_they_contain() {
        Exposition read = parse("""
                a_bucket{le="0.1"} 8 # {trace_id="abc"} 0.054
                a_bucket{le="1"} 9 1796073199.5 # {trace_id="a \\" # } b"} 0.7 1796073199.2
                a_bucket{le="+Inf"} 10 # {not "good
                a_created 1796073000.25
                # EOF
                """);

        assertEquals(
                List.of(
                        "a_bucket[le, 0.1] 8.0",
                        "a_bucket[le, 1] 9.0 @1796073199500",
                        "a_bucket[le, +Inf] 10.0",
                        "a_created[] 1.79607300025E9"),
                shown(read.samples()));
        assertEquals(0, read.faultyLines());
    }

    @Test
    void odd_spellings_of_numbers_are_read() {
        Exposition read = parse(
                "a +Inf\nb -inf\nc NaN\nd 1e3\ne 5.0\nf .5\ng -0\nh Infinity\ni +1.5E-3\nj{} 1\nk{ a = \"b\" , } 2\nl{a=\"b\"}3\n");

        assertEquals(
                List.of(
                        "a[] Infinity",
                        "b[] -Infinity",
                        "c[] NaN",
                        "d[] 1000.0",
                        "e[] 5.0",
                        "f[] 0.5",
                        "g[] -0.0",
                        "h[] Infinity",
                        "i[] 0.0015",
                        "j[] 1.0",
                        "k[a, b] 2.0",
                        "l[a, b] 3.0"),
                shown(read.samples()));
        assertEquals(1.0, ExpositionParser.parseValue("1.0"));
        assertEquals(Double.POSITIVE_INFINITY, ExpositionParser.parseValue("+Inf"));
        assertTrue(Double.isNaN(ExpositionParser.parseValue("1 ")));
    }

    @Test
    void each_kind_of_bad_line_is_named_and_its_neighbours_are_used() {
        assertNamed("1up 1", "no metric name where the line begins with “1up 1”");
        assertNamed("{a=\"b\"} 1", "no metric name where the line begins with “{a=\"b\"} 1”");
        assertNamed("cpu-use 1", "metric name “cpu” is followed by “-use 1”");
        assertNamed("a{1=\"b\"} 1", "no label name in the labels of “a” at “1=\"b\"} 1”");
        assertNamed("a{b\"c\"} 1", "no = behind label “b”, but “\"c\"} 1”");
        assertNamed("a{b=c} 1", "the value of label “b” is not quoted: “c} 1”");
        assertNamed("a{b=\"c} 1", "the value of label “b” has no closing quote: “c} 1”");
        assertNamed("a{b=\"c\\", "the value of label “b” has no closing quote: “c\\”");
        assertNamed("a{b=\"c\"", "the labels of “a” have no closing brace");
        assertNamed("a{b=\"c\",", "the labels of “a” have no closing brace");
        assertNamed("a{b=\"c\" d=\"e\"} 1", "unescaped quote in label “b”, or a missing comma, before “ d=\"e\"} 1”");
        assertNamed("a{b=\"1\",b=\"2\"} 1", "label “b” stands there twice, again with “2”");
        assertNamed("a{b=\"\0\u0007\"} 1", "the value of label “b” contains a NUL byte: “\\u{0}\\u{7}\"} 1”");
        assertNamed("a{b=\"c\"}", "“a” has no value");
        assertNamed("a ", "“a” has no value");
        assertNamed("a 0x1f", "the value of “a” is not a number: “0x1f”");
        assertNamed("a 1_000 7", "the value of “a” is not a number: “1_000”");
        assertNamed("a 1d", "the value of “a” is not a number: “1d”");
        assertNamed("a 1 NaN", "the timestamp of “a” is not a number: “NaN”");
        assertNamed("a 1 soon", "the timestamp of “a” is not a number: “soon”");
        assertNamed("a 1 2 3", "text behind the value of “a”: “3”");
        assertNamed("a 1 # why", "text behind the value of “a”: “# why”");
        assertNamed(
                "a{b=\"" + "x".repeat(100), "the value of label “b” has no closing quote: “" + "x".repeat(60) + "…”");
        assertNamed("a{b=\"\u202e\u200bx", "the value of label “b” has no closing quote: “\\u{202e}\\u{200b}x”");
        assertNamed("a{" + "b=\"\",".repeat(2), "label “b” stands there twice, again with “”");
    }

    @Test
    void a_value_that_is_not_utf8_is_named() {
        for (String bytes : new String[] {
            "\u00ff", "\u00c3", "\u00c0\u0080", "\u00ed\u00a0\u0080", "\u00f5\u0080\u0080\u0080", "\u0080"
        }) {
            byte[] line = ("a 1\nb{mp=\"" + bytes + "\"} 2\nc 3\n").getBytes(ISO_8859_1);
            Exposition read = parse(line);

            assertEquals(List.of("a[] 1.0", "c[] 3.0"), shown(read.samples()));
            assertTrue(read.faults().get(0).reason().en().startsWith("the value of label “mp” is not valid UTF-8"));
        }
        assertEquals(
                "路径 é 🚀",
                parse("b{mp=\"路径 é 🚀\"} 2").samples().get(0).labels().get("mp"));
    }

    @Test
    void a_line_of_more_than_a_mebibyte_is_named_and_passed_over() {
        String long1 = "a{b=\"" + "x".repeat(ExpositionParser.MAX_LINE_BYTES) + "\"} 1\n";
        Exposition read = parse("first 1\n" + long1 + "last 2\n");

        assertEquals(List.of("first[] 1.0", "last[] 2.0"), shown(read.samples()));
        assertFault(read, 2, "a line longer than 1 MiB, beginning with “a{b=\"" + "x".repeat(55) + "…”");
    }

    @Test
    void a_label_that_the_line_before_has_is_still_noticed_when_it_is_repeated() {
        Exposition read =
                parse("a{x=\"1\",b=\"1\"} 1\na{b=\"9\",b=\"1\"} 2\na{x=\"1\",b=\"1\",x=\"1\"} 3\na{b=\"1\"} 4\n");

        assertEquals(List.of("a[x, 1, b, 1] 1.0", "a[b, 1] 4.0"), shown(read.samples()));
        assertEquals(
                List.of("label “b” stands there twice, again with “1”", "label “x” stands there twice, again with “1”"),
                read.faults().stream().map(fault -> fault.reason().en()).toList());
    }

    @Test
    void more_labels_than_anyone_needs_are_refused() {
        StringBuilder labels = new StringBuilder();
        for (int i = 0; i < LabelBlock.MAX_LABELS; i++) {
            labels.append("l").append(i).append("=\"\",");
        }

        assertEquals(1, parse("a{" + labels + "} 1").samples().size());
        assertFault(parse("a{" + labels + "z=\"\"} 1"), 1, "“a” has more than 128 labels");
    }

    @Test
    void more_samples_than_the_limit_end_the_reading_and_what_was_read_stays() {
        StringBuilder body = new StringBuilder("bad\n".repeat(30));
        for (int i = 0; i < ExpositionParser.MAX_SAMPLES + 1000; i++) {
            body.append("s").append(i).append(' ').append(i).append('\n');
        }

        Exposition read = parse(body.toString());

        assertEquals(ExpositionParser.MAX_SAMPLES, read.samples().size());
        assertEquals(ExpositionParser.MAX_FAULTS, read.faults().size());
        Fault last = read.faults().get(ExpositionParser.MAX_FAULTS - 1);
        assertEquals(
                "more than 200000 samples: the rest was not read", last.reason().en());
        assertEquals(ExpositionParser.MAX_SAMPLES + 31, last.line());
        assertEquals(31, read.faultyLines());
    }

    @Test
    void more_bytes_than_the_limit_end_the_reading_and_what_was_read_stays() {
        byte[] body = new byte[ExpositionParser.MAX_BODY_BYTES + 100];
        Arrays.fill(body, (byte) '\n');
        byte[] first = "first 1\n".getBytes(UTF_8);
        System.arraycopy(first, 0, body, 0, first.length);
        byte[] cut = "cut 12345".getBytes(UTF_8);
        System.arraycopy(cut, 0, body, ExpositionParser.MAX_BODY_BYTES - 5, cut.length);

        Exposition read = parse(body);

        assertEquals(List.of("first[] 1.0"), shown(read.samples()));
        assertEquals(
                "a body larger than 64 MiB: the rest was not read",
                read.faults().get(0).reason().en());
    }

    @Test
    void only_wanted_families_are_kept_but_every_line_is_checked() {
        byte[] body = "go_threads 3\njuicefs_uptime 5\ngo_info{a=b} 1\n".getBytes(UTF_8);

        Exposition read = ExpositionParser.parse(body, body.length, (text, from, to) -> text[from] == 'j');

        assertEquals(List.of("juicefs_uptime[] 5.0"), shown(read.samples()));
        assertFault(read, 3, "the value of label “a” is not quoted: “b} 1”");
    }

    @Test
    void bytes_behind_the_length_do_not_count() {
        byte[] buffer = "a 12345\nb 2\n".getBytes(UTF_8);

        assertEquals(
                List.of("a[] 123.0"),
                shown(ExpositionParser.parse(buffer, 5, EVERYTHING).samples()));
    }

    private static void assertNamed(String line, String reason) {
        Exposition read = parse("before{x=\"1\"} 1\n" + line + "\nafter{x=\"2\"} 2\n");

        assertEquals(List.of("before[x, 1] 1.0", "after[x, 2] 2.0"), shown(read.samples()), line);
        assertFault(read, 2, reason);
        assertFalse(read.faults().get(0).reason().zh().isBlank());
    }

    private static void assertFault(Exposition read, int line, String reason) {
        assertEquals(1, read.faultyLines());
        assertEquals(reason, read.faults().get(0).reason().en());
        assertEquals(line, read.faults().get(0).line());
    }

    private static List<Double> bounds(Exposition read) {
        return read.samples().stream()
                .filter(sample -> sample.name().endsWith("_bucket"))
                .map(sample -> ExpositionParser.parseValue(
                        String.valueOf(sample.labels().get("le"))))
                .toList();
    }

    private static List<String> names(Exposition read) {
        return read.samples().stream().map(ExposedSample::name).toList();
    }

    private static List<Double> values(Exposition read) {
        return read.samples().stream().map(ExposedSample::value).toList();
    }
}
