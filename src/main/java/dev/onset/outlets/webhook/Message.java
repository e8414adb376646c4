package dev.onset.outlets.webhook;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Outbox.Queued;
import dev.onset.rules.Remedy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a receiver is to be told. Names in it come from labels and are hostile: a receiver escapes them for its markup.
 *
 * @param id stable over all attempts, so that a receiver can tell a repeat
 * @param kind what happened
 * @param diagnosis as it stood then, without evidence
 * @param externalUrl where people reach this Onset, without a slash at the end; empty when not configured
 */
public record Message(String id, DiagnosisChange.Kind kind, Diagnosis diagnosis, String externalUrl) {
    static Message of(Queued queued, String externalUrl) {
        DiagnosisChange change = queued.change();
        return new Message(change.messageId(), change.kind(), change.diagnosis(), externalUrl);
    }

    /** The first line: the finding's own sentence, after a word where it is not a new one. */
    public String headline(Language language) {
        return switch (kind) {
            case OPENED -> summary(language);
            case UPDATED -> language.of("Changed: ", "有变化：") + summary(language);
            case RESOLVED -> language.of("Resolved: ", "已恢复：") + summary(language);
        };
    }

    public String summary(Language language) {
        return oneLine(language.of(diagnosis.finding().summary()));
    }

    /** The cheapest thing to do. */
    public Optional<Remedy> remedy() {
        return diagnosis.finding().remedies().stream()
                .filter(remedy -> remedy.kind() == Remedy.Kind.DO)
                .findFirst();
    }

    /** What to tell people to do now: nothing once it is over. */
    public Optional<Remedy> advice() {
        return kind == DiagnosisChange.Kind.RESOLVED ? Optional.empty() : remedy();
    }

    /** The page of the diagnosis; empty when no external URL is configured. */
    public String link() {
        return externalUrl.isEmpty()
                ? ""
                : externalUrl + "/diagnoses/" + URLEncoder.encode(diagnosis.id(), StandardCharsets.UTF_8);
    }

    /** Without line breaks, control characters and those that turn the reading direction. */
    public static String oneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u2028\\u2029\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]+", " ")
                .strip();
    }

    /** At most so many characters, never half a surrogate pair, with "…" where something is missing. */
    public static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - 1;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }
}
