package dev.onset.signals;

import java.util.Locale;

/** A sentence in the two languages of the page. Both are written, neither is derived from the other. */
public record Text(String en, String zh) {
    /** Both languages formatted with the same arguments; use {@code %2$s} where the word order differs. */
    public static Text format(String en, String zh, Object... arguments) {
        return new Text(String.format(Locale.ROOT, en, arguments), String.format(Locale.ROOT, zh, arguments));
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
