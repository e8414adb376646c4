package dev.onset.sources.exposition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecimalTest {
    private final Decimal number = new Decimal();

    @Test
    void reads_every_double_back_that_java_writes() {
        Random random = new Random(7);
        for (int i = 0; i < 300_000; i++) {
            double written = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(written)) {
                assertReads(written, Double.toString(written));
            }
        }
    }

    @Test
    void rounds_decimals_of_any_length_like_java() {
        Random random = new Random(8);
        for (int i = 0; i < 300_000; i++) {
            String digits = digits(random, 1 + random.nextInt(random.nextInt(8) == 0 ? 60 : 20));
            int point = random.nextInt(digits.length() + 1);
            String text = digits.substring(0, point) + "." + digits.substring(point)
                    + (random.nextBoolean() ? "" : "e" + (random.nextInt(700) - 350));
            assertReads(Double.parseDouble(text), text);
        }
    }

    @Test
    void rounds_numbers_half_way_between_two_doubles_to_the_even_one() {
        Random random = new Random(9);
        for (int i = 0; i < 50_000; i++) {
            double low = Double.longBitsToDouble(random.nextLong(0x3000_0000_0000_0000L, 0x4500_0000_0000_0000L));
            String half = new BigDecimal(low)
                    .add(new BigDecimal(Math.nextUp(low)))
                    .divide(BigDecimal.valueOf(2))
                    .toPlainString();
            assertReads(Double.parseDouble(half), half);
            String above = half + (half.contains(".") ? "1" : ".1");
            assertReads(Double.parseDouble(above), above);
        }
    }

    @Test
    void reads_the_ends_of_the_range() {
        for (String text : new String[] {
            "0",
            "-0",
            "0.0",
            "4.9e-324",
            "2.4e-324",
            "2.5e-324",
            "2.2250738585072011e-308",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "1e309",
            "1e-400",
            "1e99999999999",
            "0e99999999999",
            "1e-99999999999",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "9999999999999999999",
            "1.",
            ".5",
            "1E+2",
            "00000000000000000000000000000000001",
            "0.000000000000000000000000000000000000001"
        }) {
            assertReads(Double.parseDouble(text), text);
        }
    }

    @Test
    void stops_where_the_number_ends() {
        assertEquals(3, read("1.5abc"));
        assertEquals(1, read("1 2"));
        assertEquals(1, read("0x10"));
        assertEquals(-1, read("1e"));
        assertEquals(-1, read("."));
        assertEquals(-1, read("-"));
        assertEquals(-1, read(""));
        assertEquals(-1, read("null"));
        assertEquals(3, read("NaN"));
        assertEquals(4, read("+Inf"));
        assertEquals(9, read("-Infinity"));
        assertEquals(Double.NEGATIVE_INFINITY, number.value);
    }

    @Test
    void allocates_nothing_for_what_exporters_write() {
        byte[][] texts = {
            bytes("0.05859979800000001"), bytes("2.06759872e+08"), bytes("977"), bytes("1.6931756689999993")
        };
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double sum = 0;
        long before = 0;
        for (int round = 0; round < 20_000; round++) {
            if (round == 10_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            for (byte[] text : texts) {
                number.read(text, 0, text.length);
                sum += number.value;
            }
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertTrue(sum > 0);
        assertEquals(0, allocated / 10_000, "bytes a round");
    }

    private void assertReads(double expected, String text) {
        assertEquals(text.length(), read(text), text);
        assertEquals(Double.doubleToLongBits(expected), Double.doubleToLongBits(number.value), text);
    }

    private int read(String text) {
        byte[] bytes = bytes(text);
        return number.read(bytes, 0, bytes.length);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static String digits(Random random, int count) {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < count; i++) {
            digits.append((char) ('0' + random.nextInt(10)));
        }
        return digits.toString();
    }
}
