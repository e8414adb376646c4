package dev.onset.signals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "%1$s",
                "%2$s, then %1$s",
                "%s and %s",
                "100 %% of %1$s",
                "%3$d",
                "%3$d, %1$s",
                "%1$s%2$s",
                "≥ %2$s",
                "%3$5d|%1$-7s|"
            })
    void both_languages_are_filled_as_the_formatter_would(String format) {
        Object[] arguments = {"a$%", "b", 7};
        String filled = String.format(Locale.ROOT, format, arguments);
        assertThat(Text.format(format, format + "。", arguments)).isEqualTo(new Text(filled, filled + "。"));
    }
}
