package dev.onset.diagnoses.store;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Evidence;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of a stored row. It must be readable for years: fields that a later version added are ignored, lists and
 * numbers that an earlier version did not write yet are empty and 0.
 */
final class Content {
    private static final JsonSetter.Value EMPTY = JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .withConfigOverride(List.class, list -> list.setNullHandling(EMPTY))
            .withConfigOverride(Map.class, map -> map.setNullHandling(EMPTY))
            .build();

    private Content() {}

    static String of(Diagnosis diagnosis) {
        return JSON.writeValueAsString(diagnosis);
    }

    static Diagnosis diagnosis(String json) {
        return JSON.readValue(json, Diagnosis.class);
    }

    /** Messages carry no charts, so the evidence stays out of the outbox. */
    static String of(DiagnosisChange change) {
        Diagnosis d = change.diagnosis();
        Diagnosis bare = new Diagnosis(
                d.id(),
                d.rule(),
                d.scope(),
                d.state(),
                d.firstSeenMillis(),
                d.openedMillis(),
                d.lastSeenMillis(),
                d.resolvedMillis(),
                d.finding(),
                d.cost(),
                Evidence.NONE,
                d.recording(),
                d.trail());
        return JSON.writeValueAsString(new DiagnosisChange(change.kind(), bare));
    }

    static DiagnosisChange change(String json) {
        return JSON.readValue(json, DiagnosisChange.class);
    }
}
