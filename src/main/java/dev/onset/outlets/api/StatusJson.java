package dev.onset.outlets.api;

import static dev.onset.outlets.api.Json.lower;
import static dev.onset.outlets.api.Json.number;

import dev.onset.outlets.api.Json.ScopeJson;
import dev.onset.signals.Text;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@link Status} as the API writes it, in one language. */
record StatusJson(
        String now,
        String since,
        @Nullable String lastStep,
        long stepMillis,
        boolean live,
        @Nullable String recording,
        Status.Counts counts,
        int rules,
        List<OpenJson> open,
        List<CannotJudgeJson> cannotJudge,
        Status.TargetCounts targetCounts,
        List<TargetJson> targets,
        List<String> dataQuality,
        int undelivered,
        @Nullable String storeTrouble,
        int silenced,
        List<SilenceJson> silences,
        List<ScopeJson> scopes) {
    private static final int MOST_SILENCES = 20;

    static StatusJson of(Status status, List<OpenJson> open, List<SilenceJson> silences, Locale locale) {
        return new StatusJson(
                Times.at(status.nowMillis()),
                Times.at(status.sinceMillis()),
                Times.atOrNull(status.lastStepMillis()),
                status.stepMillis(),
                status.live(),
                status.recording(),
                status.counts(),
                status.rules(),
                open,
                status.cannotJudge().stream()
                        .map(row -> new CannotJudgeJson(
                                row.rule(), ScopeJson.of(row.scope()), texts(row.reasons(), locale), row.scopes()))
                        .toList(),
                status.targetCounts(),
                status.targets().stream()
                        .map(target -> TargetJson.of(target, locale))
                        .toList(),
                texts(status.dataQuality(), locale),
                status.undelivered(),
                textOrNull(status.storeTrouble(), locale),
                silences.size(),
                silences.stream().limit(MOST_SILENCES).toList(),
                status.scopes().stream().map(ScopeJson::of).toList());
    }

    private static List<String> texts(List<Text> texts, Locale locale) {
        return texts.stream().map(text -> text.in(locale)).toList();
    }

    private static @Nullable String textOrNull(@Nullable Text text, Locale locale) {
        return text == null ? null : text.in(locale);
    }

    record CannotJudgeJson(String rule, ScopeJson scope, List<String> reasons, int scopes) {}

    /** The open diagnoses of one rule; the severity is that of the worst. */
    record OpenJson(String rule, String title, String severity, int count) {}

    record SilenceJson(String diagnosisId, String by, String until) {}

    record TargetJson(
            String kind,
            String address,
            @Nullable String host,
            String group,
            boolean up,
            @Nullable String since,
            @Nullable String error,
            List<String> faults,
            List<String> notes,
            @Nullable Double skewP99Millis,
            @Nullable Double millisPerScrape,
            @Nullable Double bytesPerScrape) {
        static TargetJson of(Status.TargetState target, Locale locale) {
            Status.Asking asking = target.asking().get();
            return new TargetJson(
                    lower(target.kind()),
                    target.address(),
                    target.host(),
                    target.group(),
                    target.up(),
                    Times.atOrNull(target.sinceMillis()),
                    textOrNull(target.error(), locale),
                    texts(target.faults(), locale),
                    texts(target.notes(), locale),
                    number(asking.skewP99Millis()),
                    number(asking.millisPerScrape()),
                    number(asking.bytesPerScrape()));
        }
    }
}
