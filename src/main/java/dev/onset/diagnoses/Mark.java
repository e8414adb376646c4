package dev.onset.diagnoses;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a person said about a diagnosis.
 *
 * @param kind what was said
 * @param atMillis epoch milliseconds
 * @param author who said it, at most 100 characters
 * @param note in their words, at most 2000 characters; may be empty except for a note
 * @param untilMillis end of a silence, at most 30 days away; null for everything else
 */
public record Mark(
        Kind kind,
        long atMillis,
        String author,
        String note,
        @Nullable Long untilMillis) {
    private static final int LONGEST_AUTHOR = 100;
    private static final int LONGEST_NOTE = 2000;
    private static final Duration LONGEST_SILENCE = Duration.ofDays(30);

    /** What can be said. */
    public enum Kind {
        ACKNOWLEDGED,
        /** No updates until the given time. Always ends. */
        SILENCED,
        RIGHT,
        WRONG_CAUSE,
        NOISE,
        FIX_APPLIED,
        NOTE
    }

    public Mark {
        if (author.isBlank() || author.length() > LONGEST_AUTHOR) {
            throw new IllegalArgumentException(
                    "author: has " + author.length() + " characters, allowed are 1 to " + LONGEST_AUTHOR);
        }
        if (note.length() > LONGEST_NOTE || (kind == Kind.NOTE && note.isBlank())) {
            throw new IllegalArgumentException(
                    "note: has " + note.length() + " characters, allowed are at most " + LONGEST_NOTE);
        }
        if (kind == Kind.SILENCED) {
            checkEnd(atMillis, untilMillis);
        } else if (untilMillis != null) {
            throw new IllegalArgumentException("until: only a silence has an end, not " + kind);
        }
    }

    private static void checkEnd(long atMillis, @Nullable Long untilMillis) {
        if (untilMillis == null) {
            throw new IllegalArgumentException("until: a silence must have an end");
        }
        long length = untilMillis - atMillis;
        if (length <= 0 || length > LONGEST_SILENCE.toMillis()) {
            throw new IllegalArgumentException(
                    "until: a silence must end after it begins and within " + LONGEST_SILENCE.toDays() + " days");
        }
    }
}
