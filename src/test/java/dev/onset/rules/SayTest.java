package dev.onset.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SayTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "0.004,0.004",
        "0.3,0.3",
        "-0.25,-0.25",
        "0.285,0.29",
        "1.005,1.01",
        "9.999,10",
        "12,12",
        "12.34,12.3",
        "99.96,100",
        "100,100",
        "512.5,513",
        "1234567.5,1234568",
        "Infinity,–",
        "NaN,–"
    })
    void a_number_has_three_digits(double value, String said) {
        assertThat(Say.number(value)).isEqualTo(said);
    }

    /** The formatter is the measure; only its price is not paid. */
    @Test
    void numbers_read_as_the_formatter_would_write_them() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            double value = Math.pow(10, random.nextDouble(-2.3, 12)) * (random.nextInt(4) == 0 ? -1 : 1);
            value = random.nextBoolean() ? value : Math.rint(value * 1000) / 1000;
            assertThat(Say.number(value)).isEqualTo(formatted(value));
        }
    }

    private static String formatted(double value) {
        double size = Math.abs(value);
        if (size < 0.005) {
            return size == 0 ? "0" : String.format(Locale.ROOT, "%.1g", value);
        }
        String digits = String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
        return digits.contains(".") ? digits.replaceFirst("0+$", "").replaceFirst("\\.$", "") : digits;
    }
}
