package dev.onset.outlets.api;

import static dev.onset.outlets.api.Json.lower;
import static java.util.Objects.requireNonNull;

import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.Marks;
import dev.onset.diagnoses.State;
import dev.onset.outlets.api.Json.ScopeJson;
import dev.onset.outlets.api.Json.SeriesJson;
import dev.onset.outlets.api.Problems.NotThere;
import dev.onset.outlets.api.Status.TargetState;
import dev.onset.outlets.api.StatusJson.OpenJson;
import dev.onset.outlets.api.StatusJson.SilenceJson;
import dev.onset.outlets.api.StatusJson.TargetJson;
import dev.onset.rules.RuleBook;
import dev.onset.rules.Severity;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.SourceKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        Locale locale = Ask.locale(lang, accepted);
        Status status = watched.status();
        return StatusJson.of(status, open(locale), silences(status.nowMillis()), locale);
    }

    private List<OpenJson> open(Locale locale) {
        Map<String, List<Severity>> open = new HashMap<>();
        for (Diagnosis diagnosis : diagnoses.unresolved()) {
            if (diagnosis.state() != State.PENDING) {
                open.computeIfAbsent(diagnosis.rule(), rule -> new ArrayList<>())
                        .add(diagnosis.finding().severity());
            }
        }
        return open.entrySet().stream()
                .sorted(Comparator.comparing(
                                (Map.Entry<String, List<Severity>> rule) -> Collections.min(rule.getValue()))
                        .thenComparing(rule -> -rule.getValue().size())
                        .thenComparing(Map.Entry::getKey))
                .map(rule -> new OpenJson(
                        rule.getKey(),
                        title(rule.getKey(), locale),
                        Collections.min(rule.getValue()).name(),
                        rule.getValue().size()))
                .toList();
    }

    private String title(String id, Locale locale) {
        return rules.cards().stream()
                .filter(card -> card.id().equals(id))
                .findFirst()
                .map(card -> card.title().in(locale))
                .orElse(id);
    }

    private List<SilenceJson> silences(long now) {
        return marks.silences(now).entrySet().stream()
                .map(silence -> new SilenceJson(
                        silence.getKey(),
                        silence.getValue().author(),
                        Times.at(requireNonNull(silence.getValue().untilMillis()))))
                .toList();
    }

    @GetMapping("/targets")
    TargetsJson targets(
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String q,
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String after,
            @RequestParam(required = false) @Nullable String lang,
            Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        Wanted wanted = state == null ? Wanted.ALL : Ask.oneOf("state", state, Wanted.values());
        String typed = Ask.search(q);
        Page<TargetState> page = Page.of(
                watched.targets(),
                each -> wanted.has(each)
                        && Page.holds(typed, each.address(), each.host(), each.group(), lower(each.kind())),
                each -> new Page.Name(each.group(), each.kind(), each.address()),
                Ask.limit("limit", limit, 100),
                after == null ? null : Page.Name.read(after, SourceKind.values()));
        return new TargetsJson(
                page.items().stream().map(each -> TargetJson.of(each, locale)).toList(), page.matching(), page.next());
    }

    @GetMapping("/scopes")
    ScopesJson scopes(
            @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String group,
            @RequestParam(required = false) @Nullable String q,
            @RequestParam(required = false) @Nullable String limit,
            @RequestParam(required = false) @Nullable String after) {
        ScopeKind only = kind == null ? null : Ask.oneOf("kind", kind, ScopeKind.values());
        String typed = Ask.search(q);
        Page<Scope> page = Page.of(
                watched.scopes(),
                each -> (only == null || each.kind() == only)
                        && (group == null || each.group().equals(group))
                        && Page.holds(typed, each.id(), each.group()),
                each -> new Page.Name(each.group(), each.kind(), each.id()),
                Ask.limit("limit", limit, 100),
                after == null ? null : Page.Name.read(after, ScopeKind.values()));
        return new ScopesJson(page.items().stream().map(ScopeJson::of).toList(), page.matching(), page.next());
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

    /** What is nearest to a diagnosis comes first: found, then the conditions that nearly all hold, then what is missing. */
    @GetMapping("/why")
    WhyJson why(
            @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String group,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String rule,
            @RequestParam(required = false) @Nullable String at,
            @RequestParam(required = false) @Nullable String lang,
            Locale accepted) {
        Locale locale = Ask.locale(lang, accepted);
        Scope scope = Ask.scope(kind, group, id);
        long atMillis = at == null ? Long.MAX_VALUE / 2 : Ask.time("at", at);
        Watched.Why why = watched.why(scope, atMillis)
                .orElseThrow(() -> new NotThere(
                        "nothing is known about " + scope + " in group " + scope.group() + " at that time"));
        return new WhyJson(
                Times.at(why.stepMillis()),
                why.judgements().stream()
                        .filter(judgement ->
                                rule == null || judgement.card().id().equals(rule))
                        .map(judgement -> WhyJson.RuleAnswer.of(judgement, locale))
                        .sorted(Comparator.comparingDouble(WhyJson.RuleAnswer::farAway))
                        .toList());
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

    /** The values of {@code state}. */
    private enum Wanted {
        ALL,
        UP,
        /** Not up: silent, or not asked yet. */
        DOWN,
        /** Its latest answer could not be used in full. */
        FAULTY;

        boolean has(TargetState target) {
            return switch (this) {
                case ALL -> true;
                case UP -> target.up();
                case DOWN -> !target.up();
                case FAULTY -> !target.faults().isEmpty();
            };
        }
    }

    record TargetsJson(
            List<TargetJson> targets,
            int matching,
            @Nullable String next) {}

    record ScopesJson(
            List<ScopeJson> scopes, int matching, @Nullable String next) {}

    record RuleJson(String id, String title, String scope, String severity, String family, List<String> needs) {}
}
