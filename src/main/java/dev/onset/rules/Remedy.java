package dev.onset.rules;

import dev.onset.signals.Text;

/**
 * Something to do about a finding, fitted to the version and the settings that are running.
 *
 * @param kind what sort of advice
 * @param title what to do, one sentence
 * @param command to paste, with this mount's own path and values; empty where there is nothing to paste
 * @param effect what to expect, as a number where one can be given, with its assumption
 * @param risk the price
 * @param check how it will be verified
 */
public record Remedy(Kind kind, Text title, String command, Text effect, Text risk, Text check) {
    /** Advice, or a warning against what looks like advice. */
    public enum Kind {
        DO,
        DO_NOT
    }

    /** A warning: what not to do, and why. */
    public static Remedy doNot(Text title) {
        Text none = Text.same("");
        return new Remedy(Kind.DO_NOT, title, "", none, none, none);
    }
}
