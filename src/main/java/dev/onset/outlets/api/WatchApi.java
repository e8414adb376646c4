package dev.onset.outlets.api;

import static java.util.Objects.requireNonNull;

import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Marks;
import dev.onset.outlets.api.Json.SeriesJson;
import dev.onset.outlets.api.Problems.NotThere;
import dev.onset.outlets.api.StatusJson.SilenceJson;
import dev.onset.rules.RuleBook;
import dev.onset.signals.Scope;
import dev.onset.signals.Signal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** What is watched: the state of the watching, the series, the rules, and a stream of changes. */
@RestController
@RequestMapping("/api/v1")
class WatchApi {
    private final Watched watched;
    private final Diagnoses diagnoses;
    private final Marks marks;
    private final Changes changes;
    private final RuleBook rules = new RuleBook();

    WatchApi(Watched watched, Diagnoses diagnoses, Marks marks, Changes changes) {
        this.watched = watched;
        this.diagnoses = diagnoses;
        this.marks = marks;
        this.changes = changes;
    }

    @GetMapping("/status")
    StatusJson status(@RequestParam(required = false) @Nullable String lang, Locale accepted) {
        Status status = watched.status();
        return StatusJson.of(status, silences(status.nowMillis()), Ask.locale(lang, accepted));
    }

    private List<SilenceJson> silences(long now) {
        return diagnoses.unresolved().stream()
                .flatMap(diagnosis -> silence(diagnosis.id(), now).stream())
                .toList();
    }

    /** The latest silence counts: people shorten and lengthen it. */
    private Optional<SilenceJson> silence(String diagnosis, long now) {
        return marks.list(diagnosis).stream()
                .filter(mark -> mark.untilMillis() != null)
                .reduce((earlier, later) -> later)
                .filter(mark -> requireNonNull(mark.untilMillis()) > now)
                .map(mark -> new SilenceJson(diagnosis, mark.author(), Times.at(requireNonNull(mark.untilMillis()))));
    }

    @GetMapping("/rules")
    List<RuleJson> rules(@RequestParam(required = false) @Nullable String lang, Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        return rules.cards().stream()
                .map(rule -> new RuleJson(
                        rule.id(),
                        rule.title().in(locale),
                        Json.lower(rule.scope()),
                        rule.severity().name(),
                        Json.lower(rule.family()),
                        rule.needs().stream().map(Signal::id).toList()))
                .toList();
    }

    @GetMapping("/timeline")
    SeriesJson timeline(
            @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String group,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String signals,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String to,
            @RequestParam(required = false) @Nullable String lang,
            Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        Scope scope = Ask.scope(kind, group, id);
        long fromMillis = Ask.time("from", from);
        long toMillis = Ask.time("to", to);
        Ask.window(fromMillis, toMillis);
        return watched.timeline(scope, Ask.signals(signals), fromMillis, toMillis)
                .map(found -> SeriesJson.of(found, locale))
                .orElseThrow(() -> new NotThere("nothing is known about " + scope + " in group " + scope.group()));
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter events() {
        return changes.subscribe();
    }

    record RuleJson(String id, String title, String scope, String severity, String family, List<String> needs) {}
}
