package dev.onset.outlets.api;

import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Mark;
import dev.onset.diagnoses.Marks;
import dev.onset.diagnoses.State;
import dev.onset.outlets.api.Problems.NotThere;
import java.security.Principal;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What was found, and what people say about it. */
@RestController
@RequestMapping("/api/v1/diagnoses")
class DiagnosesApi {
    private static final Duration LONGEST_SILENCE = Duration.ofDays(30);
    private final Diagnoses diagnoses;
    private final Marks marks;
    private final Watched watched;

    DiagnosesApi(Diagnoses diagnoses, Marks marks, Watched watched) {
        this.diagnoses = diagnoses;
        this.marks = marks;
        this.watched = watched;
    }

    @GetMapping
    List<DiagnosisRow> list(
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String rule,
            @RequestParam(required = false) @Nullable String q,
            @RequestParam(required = false) @Nullable String order,
            @RequestParam(required = false) @Nullable String perRule,
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String lang,
            Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        Wanted wanted = state == null ? Wanted.ALL : Ask.oneOf("state", state, Wanted.values());
        Order by = order == null ? Order.NEWEST : Ask.oneOf("order", order, Order.values());
        String typed = Ask.search(q);
        int most = Ask.limit("limit", limit, 100);
        int perRuleMost = Ask.limit("perRule", perRule, Ask.MOST_ROWS);
        boolean some = rule != null || !typed.isEmpty() || perRule != null || by != Order.NEWEST;
        Map<String, Integer> seen = new HashMap<>();
        return of(wanted, some ? Ask.MOST_ROWS : most)
                .filter(each -> rule == null || each.rule().equals(rule))
                .filter(each -> Page.holds(
                        typed,
                        each.finding().summary().in(locale),
                        each.scope().id(),
                        each.scope().group(),
                        each.rule()))
                .sorted(by.comparator)
                .filter(each -> seen.merge(each.rule(), 1, Integer::sum) <= perRuleMost)
                .limit(most)
                .map(diagnosis -> DiagnosisRow.of(diagnosis, locale))
                .toList();
    }

    @GetMapping("/{id}")
    DiagnosisJson one(@PathVariable String id, @RequestParam(required = false) @Nullable String lang, Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        return diagnoses.find(id).map(found -> DiagnosisJson.of(found, locale)).orElseThrow(() -> unknown(id));
    }

    @GetMapping("/{id}/marks")
    List<MarkJson> marks(@PathVariable String id) {
        return marks.list(known(id)).stream().map(MarkJson::of).toList();
    }

    @PostMapping("/{id}/marks")
    List<MarkJson> mark(@PathVariable String id, @RequestBody MarkBody body, @Nullable Principal principal) {
        marks.add(known(id), mark(body, principal));
        return marks(id);
    }

    private Stream<Diagnosis> of(Wanted wanted, int most) {
        return switch (wanted) {
            case ALL -> diagnoses.list(most).stream();
            case RESOLVED -> diagnoses.resolved(most).stream();
            case OPEN -> diagnoses.unresolved().stream().filter(found -> found.state() != State.PENDING);
        };
    }

    private Mark mark(MarkBody body, @Nullable Principal principal) {
        Mark.Kind kind = Ask.oneOf("kind", body.kind(), Mark.Kind.values());
        String author = principal == null ? Ask.typed("author", body.author(), 100) : principal.getName();
        String note = Ask.typed("note", body.note(), 2000);
        if (kind == Mark.Kind.NOTE && note.isBlank()) {
            throw Ask.wrong("note", note, "1 to 2000 characters");
        }
        long now = watched.status().nowMillis();
        return new Mark(
                kind,
                now,
                author.isBlank() ? "anonymous" : author,
                note,
                kind == Mark.Kind.SILENCED ? (Long) until(body, now) : null);
    }

    /** A silence always has an end. */
    private static long until(MarkBody body, long now) {
        long until = Ask.time("until", body.until());
        if (until <= now || until > now + LONGEST_SILENCE.toMillis()) {
            throw Ask.wrong(
                    "until", body.until(), "a time from now on, at most " + LONGEST_SILENCE.toDays() + " days away");
        }
        return until;
    }

    private String known(String id) {
        return diagnoses.find(id).map(Diagnosis::id).orElseThrow(() -> unknown(id));
    }

    private static NotThere unknown(String id) {
        return new NotThere("there is no diagnosis " + (id.length() > 80 ? id.substring(0, 80) + "…" : id));
    }

    /** The values of {@code state}. */
    private enum Wanted {
        ALL,
        /** Open or easing. */
        OPEN,
        RESOLVED
    }

    /** The values of {@code order}. */
    private enum Order {
        NEWEST(Comparator.comparing(each -> each.recording() != null)),
        WORST(Comparator.comparing(each -> each.finding().severity()));

        private final Comparator<Diagnosis> comparator;

        Order(Comparator<Diagnosis> first) {
            comparator = first.thenComparing(
                    Comparator.comparingLong(Diagnosis::openedMillis).reversed());
        }
    }

    record MarkBody(
            @Nullable String kind,
            @Nullable String author,
            @Nullable String note,
            @Nullable String until) {}

    record MarkJson(
            String kind,
            String at,
            String author,
            String note,
            @Nullable String until) {
        static MarkJson of(Mark mark) {
            return new MarkJson(
                    Ask.camel(mark.kind()),
                    Times.at(mark.atMillis()),
                    mark.author(),
                    mark.note(),
                    Times.atOrNull(mark.untilMillis()));
        }
    }
}
