package dev.onset.outlets.api;

import static dev.onset.outlets.api.Json.lower;

import dev.onset.diagnoses.Diagnosis;
import dev.onset.outlets.api.DiagnosisJson.CostJson;
import dev.onset.outlets.api.Json.ScopeJson;
import dev.onset.rules.Finding;
import dev.onset.rules.Remedy;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A diagnosis in a list: without its argument and its series. */
record DiagnosisRow(
        String id,
        String rule,
        ScopeJson scope,
        String state,
        String severity,
        String confidence,
        String firstSeen,
        @Nullable String opened,
        String lastSeen,
        @Nullable String resolved,
        @Nullable String recording,
        String summary,
        String detail,
        CostJson cost,
        String firstCommand,
        String firstRemedy) {
    static DiagnosisRow of(Diagnosis diagnosis, Locale locale) {
        Finding finding = diagnosis.finding();
        Remedy first = finding.remedies().stream()
                .filter(remedy -> remedy.kind() == Remedy.Kind.DO)
                .findFirst()
                .orElse(null);
        return new DiagnosisRow(
                diagnosis.id(),
                diagnosis.rule(),
                ScopeJson.of(diagnosis.scope()),
                lower(diagnosis.state()),
                finding.severity().name(),
                lower(finding.confidence()),
                Times.at(diagnosis.firstSeenMillis()),
                Times.atOrNull(diagnosis.openedMillis()),
                Times.at(diagnosis.lastSeenMillis()),
                Times.atOrNull(diagnosis.resolvedMillis()),
                diagnosis.recording(),
                finding.summary().in(locale),
                finding.detail().in(locale),
                CostJson.of(diagnosis.cost()),
                first == null ? "" : first.command(),
                first == null ? "" : first.title().in(locale));
    }
}
