package dev.onset.signals;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/** A sentence in the two languages of the page. Both are written, neither is derived from the other. */
public record Text(String en, String zh) {
    /**
     * Both languages formatted with the same arguments, texts among them in their language; use {@code %2$s} where the
     * word order differs.
     */
    public static Text format(String en, String zh, Object... arguments) {
        return new Text(fill(en, in(arguments, Text::en)), fill(zh, in(arguments, Text::zh)));
    }

    private static Object[] in(Object[] arguments, Function<Text, String> language) {
        return Arrays.stream(arguments)
                .map(argument -> argument instanceof Text text ? language.apply(text) : argument)
                .toArray();
    }

    /** Nearly every place is a plain {@code %1$s}, which needs no {@link java.util.Formatter}. */
    private static String fill(String format, Object... arguments) {
        StringBuilder filled = new StringBuilder(format.length() + 32);
        int from = 0;
        for (int at = format.indexOf('%'); at >= 0; at = format.indexOf('%', from)) {
            int argument = at + 3 < format.length() ? format.charAt(at + 1) - '1' : -1;
            if (argument < 0 || argument >= arguments.length || !format.startsWith("$s", at + 2)) {
                return String.format(Locale.ROOT, format, arguments);
            }
            filled.append(format, from, at).append(arguments[argument]);
            from = at + 4;
        }
        return filled.append(format, from, format.length()).toString();
    }

    /** The same in both languages: a command, a number, a name. */
    public static Text same(String text) {
        return new Text(text, text);
    }

    public Text plus(Text next) {
        return new Text(en + " " + next.en, zh + next.zh);
    }

    public String in(Locale locale) {
        return locale.getLanguage().equals("zh") ? zh : en;
    }
}
