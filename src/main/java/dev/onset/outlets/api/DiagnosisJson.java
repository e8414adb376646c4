package dev.onset.outlets.api;

import static dev.onset.outlets.api.Json.lower;
import static dev.onset.outlets.api.Json.number;

import dev.onset.diagnoses.Cost;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.TrailEntry;
import dev.onset.outlets.api.Json.ScopeJson;
import dev.onset.outlets.api.Json.SeriesJson;
import dev.onset.rules.Check;
import dev.onset.rules.Finding;
import dev.onset.rules.Lane;
import dev.onset.rules.Loss;
import dev.onset.rules.Onset;
import dev.onset.rules.Reason;
import dev.onset.rules.Remedy;
import dev.onset.rules.Repetition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A diagnosis as the API and {@code replay --json} write it, in one language. */
public record DiagnosisJson(
        String id,
        String rule,
        ScopeJson scope,
        String state,
        String severity,
        String confidence,
        String whyNotSurer,
        String firstSeen,
        @Nullable String opened,
        String lastSeen,
        @Nullable String resolved,
        @Nullable String recording,
        String summary,
        String detail,
        List<OnsetJson> onsets,
        List<OrderJson> order,
        @Nullable RepetitionJson repetition,
        CostJson cost,
        List<LaneJson> lanes,
        List<RemedyJson> remedies,
        List<ReasonJson> ruledOut,
        List<ReasonJson> unknown,
        List<String> subCauses,
        List<CheckJson> checks,
        List<LossJson> losses,
        List<TrailJson> trail,
        SeriesJson evidence) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    public static DiagnosisJson of(Diagnosis diagnosis, Locale locale) {
        Finding finding = diagnosis.finding();
        List<Onset> onsets = inTimeOrder(finding.onsets());
        return new DiagnosisJson(
                diagnosis.id(),
                diagnosis.rule(),
                ScopeJson.of(diagnosis.scope()),
                lower(diagnosis.state()),
                finding.severity().name(),
                lower(finding.confidence()),
                finding.whyNotSurer().in(locale),
                Times.at(diagnosis.firstSeenMillis()),
                Times.atOrNull(diagnosis.openedMillis()),
                Times.at(diagnosis.lastSeenMillis()),
                Times.atOrNull(diagnosis.resolvedMillis()),
                diagnosis.recording(),
                finding.summary().in(locale),
                finding.detail().in(locale),
                onsets.stream().map(OnsetJson::of).toList(),
                order(onsets),
                finding.repetition() == null ? null : RepetitionJson.of(finding.repetition()),
                CostJson.of(diagnosis.cost()),
                finding.lanes().stream().map(LaneJson::of).toList(),
                finding.remedies().stream()
                        .map(remedy -> RemedyJson.of(remedy, locale))
                        .toList(),
                reasons(finding.ruledOut(), locale),
                reasons(finding.unknown(), locale),
                finding.subCauses(),
                finding.checks().stream()
                        .map(check -> CheckJson.of(check, locale))
                        .toList(),
                finding.losses().stream().map(LossJson::of).toList(),
                diagnosis.trail().stream()
                        .map(entry -> TrailJson.of(entry, locale))
                        .toList(),
                SeriesJson.of(diagnosis.evidence(), locale));
    }

    /** One line of JSON. */
    public String line() {
        return MAPPER.writeValueAsString(this);
    }

    private static List<Onset> inTimeOrder(List<Onset> onsets) {
        return onsets.stream()
                .sorted(Comparator.comparingLong(Onset::fromMillis).thenComparingLong(Onset::toMillis))
                .toList();
    }

    private static List<OrderJson> order(List<Onset> onsets) {
        List<OrderJson> order = new ArrayList<>();
        for (int first = 0; first < onsets.size(); first++) {
            for (int second = first + 1; second < onsets.size(); second++) {
                Onset a = onsets.get(first);
                Onset b = onsets.get(second);
                order.add(new OrderJson(a.signal().id(), b.signal().id(), lower(a.order(b)), first, second));
            }
        }
        return order;
    }

    private static List<ReasonJson> reasons(List<Reason> reasons, Locale locale) {
        return reasons.stream()
                .map(reason ->
                        new ReasonJson(reason.what().in(locale), reason.why().in(locale)))
                .toList();
    }

    /** When a signal left its healthy range: somewhere between the two. */
    record OnsetJson(String signal, String part, ScopeJson scope, String from, String to) {
        static OnsetJson of(Onset onset) {
            return new OnsetJson(
                    onset.signal().id(),
                    onset.part(),
                    ScopeJson.of(onset.scope()),
                    Times.at(onset.fromMillis()),
                    Times.at(onset.toMillis()));
        }
    }

    /** What is known about two onsets; the indices count in {@code onsets}, where a signal may stand twice. */
    record OrderJson(String first, String second, String order, int firstOnset, int secondOnset) {}

    record RepetitionJson(
            int causes,
            int effects,
            int followed,
            int together,
            int counterExamples,
            @Nullable Double medianLeadSeconds,
            @Nullable Double chance,
            boolean equalPeriods) {
        static RepetitionJson of(Repetition repetition) {
            return new RepetitionJson(
                    repetition.causes(),
                    repetition.effects(),
                    repetition.followed(),
                    repetition.together(),
                    repetition.counterExamples(),
                    number(repetition.medianLeadSeconds()),
                    number(repetition.chance()),
                    repetition.equalPeriods());
        }
    }

    record CostJson(
            @Nullable Double acceleratorSeconds,
            @Nullable Double low,
            @Nullable Double high,
            int devices) {
        static CostJson of(Cost cost) {
            return new CostJson(
                    number(cost.acceleratorSeconds()), number(cost.low()), number(cost.high()), cost.devices());
        }
    }

    record LaneJson(
            ScopeJson scope,
            String signal,
            String part,
            String unit,
            @Nullable Double before,
            @Nullable Double during,
            @Nullable Double after) {
        static LaneJson of(Lane lane) {
            return new LaneJson(
                    ScopeJson.of(lane.scope()),
                    lane.signal().id(),
                    lane.part(),
                    lower(lane.signal().unit()),
                    number(lane.before()),
                    number(lane.during()),
                    number(lane.after()));
        }
    }

    record RemedyJson(String kind, String title, String command, String effect, String risk, String check) {
        static RemedyJson of(Remedy remedy, Locale locale) {
            return new RemedyJson(
                    lower(remedy.kind()),
                    remedy.title().in(locale),
                    remedy.command(),
                    remedy.effect().in(locale),
                    remedy.risk().in(locale),
                    remedy.check().in(locale));
        }
    }

    record ReasonJson(String what, String why) {}

    record CheckJson(String condition, String value, String bound, boolean met) {
        static CheckJson of(Check check, Locale locale) {
            return new CheckJson(check.condition().in(locale), check.value(), check.bound(), check.met());
        }
    }

    record LossJson(
            String from,
            String to,
            @Nullable Double healthy,
            @Nullable Double spread) {
        static LossJson of(Loss loss) {
            return new LossJson(
                    Times.at(loss.fromMillis()),
                    Times.at(loss.toMillis()),
                    number(loss.healthy()),
                    number(loss.spread()));
        }
    }

    record TrailJson(String at, String what) {
        static TrailJson of(TrailEntry entry, Locale locale) {
            return new TrailJson(Times.at(entry.atMillis()), entry.what().in(locale));
        }
    }
}
