package dev.onset.diagnoses;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onset.rules.Confidence;
import dev.onset.rules.Finding;
import dev.onset.rules.Judgement;
import dev.onset.rules.Onset;
import dev.onset.rules.RuleBook;
import dev.onset.rules.RuleCard;
import dev.onset.rules.Severity;
import dev.onset.rules.Verdict;
import dev.onset.signals.Scope;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Signal;
import dev.onset.signals.Text;
import dev.onset.timeline.TimeAxis;
import dev.onset.timeline.Timeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IncidentsTest {
    private static final TimeAxis AXIS = new TimeAxis(15_000);
    private static final long START = 1_796_000_400_000L;
    private static final Scope MOUNT = Scope.mount("vision", "imagenet", "gpu-01", "/mnt/jfs");
    private static final Scope OTHER_MOUNT = Scope.mount("vision", "imagenet", "gpu-02", "/mnt/jfs");
    private static final Scope JOB = Scope.job("vision");
    private static final String MISSES = "cache-miss-before-utilisation-drop";
    private static final String WRITEBACK = "writeback-read-collision";
    private static final String SLOW_STORE = "object-store-latency";
    private static final String FAILING_STORE = "object-store-throttling-errors";
    private static final String INNOCENT = "input-pipeline-not-storage";
    private static final String UNSAFE = "redis-durability-unsafe";

    private final Timeline timeline = Timeline.of(AXIS, 1);
    private Incidents incidents = new Incidents(AXIS, null);
    private final List<DiagnosisChange> told = new ArrayList<>();
    private int step;

    @Test
    void opens_eases_and_is_resolved_after_a_quiet_minute() {
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(states()).containsExactly(State.OPEN);
        tick();
        assertThat(states()).containsExactly(State.EASING);
        tick();
        tick();
        assertThat(states()).containsExactly(State.EASING);
        tick();
        assertThat(states()).isEmpty();
        assertThat(told()).containsExactly("OPENED " + MISSES, "RESOLVED " + MISSES);
    }

    @Test
    void going_on_is_told_once() {
        for (int i = 0; i < 20; i++) {
            tick(found(MISSES, MOUNT, Severity.S2));
        }
        assertThat(told()).containsExactly("OPENED " + MISSES);
        assertThat(incidents.current()).singleElement().satisfies(d -> {
            assertThat(d.openedMillis()).isEqualTo(now(0));
            assertThat(d.lastSeenMillis()).isEqualTo(AXIS.startMillis(AXIS.step(START) + 20));
        });
    }

    @Test
    void a_higher_severity_is_told_a_lower_one_is_not() {
        tick(found(MISSES, MOUNT, Severity.S3));
        tick(found(MISSES, MOUNT, Severity.S2));
        tick(found(MISSES, MOUNT, Severity.S3));
        assertThat(told()).containsExactly("OPENED " + MISSES, "UPDATED " + MISSES);
        assertThat(incidents.current())
                .singleElement()
                .extracting(d -> d.finding().severity())
                .isEqualTo(Severity.S2);
    }

    @Test
    void what_comes_back_soon_is_the_same_incident_and_is_told_again() {
        tick(found(MISSES, MOUNT, Severity.S2));
        String id = incidents.current().get(0).id();
        quiet(6);
        assertThat(states()).isEmpty();
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current()).singleElement().satisfies(d -> {
            assertThat(d.id()).isEqualTo(id);
            assertThat(d.resolvedMillis()).isNull();
            assertThat(d.trail())
                    .extracting(entry -> entry.what().en())
                    .containsExactly("opened", "resolved", "it came back");
        });
        assertThat(told()).containsExactly("OPENED " + MISSES, "RESOLVED " + MISSES, "OPENED " + MISSES);
        assertThat(told.get(0).messageId()).isNotEqualTo(told.get(2).messageId());
    }

    @Test
    void what_comes_back_late_is_another_incident() {
        tick(found(MISSES, MOUNT, Severity.S2));
        String id = incidents.current().get(0).id();
        quiet(60);
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current())
                .singleElement()
                .extracting(Diagnosis::id)
                .isNotEqualTo(id);
    }

    @Test
    void the_hold_doubles_each_time_that_it_flaps_up_to_ten_minutes() {
        List<Integer> holds = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tick(found(MISSES, MOUNT, Severity.S2));
            int before = step;
            while (!incidents.current().isEmpty()) {
                tick();
            }
            holds.add(step - before);
        }
        assertThat(holds).containsExactly(4, 8, 16, 32, 40, 40);
    }

    @Test
    void a_burst_keeps_the_onsets_of_the_incident() {
        tick(found(MISSES, MOUNT, Severity.S2));
        List<Onset> first = incidents.current().get(0).finding().onsets();
        quiet(2);
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current().get(0).finding().onsets()).isEqualTo(first);
        assertThat(incidents.current().get(0).firstSeenMillis())
                .isEqualTo(first.get(0).toMillis());
    }

    @Test
    void a_store_that_is_slow_and_fails_is_one_incident() {
        tick(found(FAILING_STORE, MOUNT, Severity.S3), found(SLOW_STORE, OTHER_MOUNT, Severity.S3));
        assertThat(told()).containsExactly("OPENED " + SLOW_STORE);
        assertThat(incidents.current().get(0).finding().subCauses()).containsExactly(FAILING_STORE);
    }

    @Test
    void of_slow_and_failing_the_one_that_is_open_keeps_the_incident() {
        tick(found(FAILING_STORE, MOUNT, Severity.S2));
        tick(found(FAILING_STORE, MOUNT, Severity.S2), found(SLOW_STORE, MOUNT, Severity.S2));
        assertThat(told()).containsExactly("OPENED " + FAILING_STORE);
        assertThat(incidents.current().get(0).finding().subCauses()).containsExactly(SLOW_STORE);
    }

    @Test
    void errors_that_outlast_the_slowness_by_a_step_are_no_second_incident() {
        tick(found(FAILING_STORE, MOUNT, Severity.S2), found(SLOW_STORE, MOUNT, Severity.S2));
        tick(found(FAILING_STORE, MOUNT, Severity.S3));
        assertThat(told()).containsExactly("OPENED " + SLOW_STORE);
        for (int i = 0; i < 6; i++) {
            tick(found(FAILING_STORE, MOUNT, Severity.S3));
        }
        assertThat(told())
                .as("errors that stay get their own")
                .containsExactly("OPENED " + SLOW_STORE, "RESOLVED " + SLOW_STORE, "OPENED " + FAILING_STORE);
    }

    @Test
    void what_reaches_the_application_is_the_face_of_slow_and_failing() {
        tick(found(SLOW_STORE, MOUNT, Severity.S3));
        tick(found(FAILING_STORE, MOUNT, Severity.S1), found(SLOW_STORE, MOUNT, Severity.S3));
        assertThat(told()).containsExactly("OPENED " + SLOW_STORE, "OPENED " + FAILING_STORE);
    }

    @Test
    void misses_that_load_the_store_are_the_cause_unless_another_mount_finds_it_slow_without_any() {
        tick(found(MISSES, MOUNT, Severity.S2), found(SLOW_STORE, MOUNT, Severity.S2));
        assertThat(told()).containsExactly("OPENED " + MISSES);
        assertThat(incidents.current().get(0).finding().subCauses()).containsExactly(SLOW_STORE);
    }

    @Test
    void a_store_that_is_slow_on_another_mount_too_is_the_cause_of_the_misses_wait() {
        tick(
                found(MISSES, MOUNT, Severity.S2),
                found(SLOW_STORE, MOUNT, Severity.S2),
                found(SLOW_STORE, OTHER_MOUNT, Severity.S2));
        assertThat(told()).containsExactly("OPENED " + SLOW_STORE);
        assertThat(incidents.current().get(0).finding().subCauses()).containsExactly(MISSES);
    }

    @Test
    void nobody_is_innocent_while_the_store_is_slow() {
        tick(found(INNOCENT, JOB, Severity.S3), found(SLOW_STORE, MOUNT, Severity.S3));
        assertThat(told()).containsExactly("OPENED " + SLOW_STORE);
    }

    @Test
    void nobody_is_innocent_while_a_mount_hangs_but_unsafe_settings_of_redis_blame_nobody() {
        tick(found(INNOCENT, JOB, Severity.S3), found("mount-hang", MOUNT, Severity.S2));
        assertThat(told()).containsExactly("OPENED mount-hang");
        Scope redis = Scope.redis("vision", "meta-a:6379");
        tick(found(INNOCENT, JOB, Severity.S3), found(UNSAFE, redis, Severity.S1));
        assertThat(told()).contains("OPENED " + INNOCENT, "OPENED " + UNSAFE);
    }

    @Test
    void after_a_restart_of_the_service_the_incident_goes_on_under_its_id() {
        tick(found(MISSES, MOUNT, Severity.S2));
        List<Diagnosis> unresolved = incidents.current();
        incidents = new Incidents(AXIS, null);
        incidents.resume(unresolved);
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current())
                .singleElement()
                .extracting(Diagnosis::id)
                .isEqualTo(unresolved.get(0).id());
        assertThat(told()).containsExactly("OPENED " + MISSES);
        quiet(4);
        assertThat(told()).containsExactly("OPENED " + MISSES, "RESOLVED " + MISSES);
    }

    @Test
    void a_quiet_minute_that_fell_into_a_restart_resolves_it() {
        tick(found(MISSES, MOUNT, Severity.S2));
        List<Diagnosis> unresolved = incidents.current();
        incidents = new Incidents(AXIS, null);
        incidents.resume(unresolved);
        step += 10;
        tick();
        assertThat(told()).containsExactly("OPENED " + MISSES, "RESOLVED " + MISSES);
    }

    @Test
    void the_same_cause_on_two_mounts_of_a_job_is_one_incident() {
        tick(found(MISSES, MOUNT, Severity.S2), found(MISSES, OTHER_MOUNT, Severity.S2));
        assertThat(incidents.current()).singleElement().satisfies(d -> {
            assertThat(d.scope()).isEqualTo(MOUNT);
            assertThat(d.finding().detail().en()).contains("1 more mounts");
        });
        tick(found(MISSES, MOUNT, Severity.S3), found(MISSES, OTHER_MOUNT, Severity.S2));
        assertThat(incidents.current())
                .as("its face stays")
                .singleElement()
                .extracting(Diagnosis::scope)
                .isEqualTo(MOUNT);
    }

    @Test
    void two_jobs_are_two_incidents() {
        tick(
                found(MISSES, MOUNT, Severity.S2),
                found(MISSES, Scope.mount("speech", "imagenet", "gpu-01", "/mnt/jfs"), Severity.S2));
        assertThat(incidents.current()).hasSize(2);
    }

    @Test
    void innocence_is_withdrawn_when_a_storage_rule_is_likely() {
        tick(found(INNOCENT, JOB, Severity.S3));
        assertThat(incidents.current()).hasSize(1);
        tick(found(INNOCENT, JOB, Severity.S3), found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current())
                .extracting(Diagnosis::rule, Diagnosis::state)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(INNOCENT, State.EASING),
                        org.assertj.core.groups.Tuple.tuple(MISSES, State.OPEN));
    }

    @Test
    void misses_that_a_collision_caused_are_the_collision() {
        tick(found(MISSES, MOUNT, Severity.S2), found(WRITEBACK, MOUNT, Severity.S2));
        assertThat(incidents.current()).extracting(Diagnosis::rule).containsExactly(WRITEBACK);
    }

    static List<Arbiter.Part> parts() {
        return Arbiter.PARTS;
    }

    @ParameterizedTest
    @MethodSource("parts")
    void a_part_is_named_inside_the_whole(Arbiter.Part row) {
        tick(found(row.part(), at(row.part()), Severity.S3), found(row.whole(), at(row.whole()), Severity.S3));
        assertThat(incidents.current()).extracting(Diagnosis::rule).containsExactly(row.whole());
        assertThat(incidents.current().get(0).finding().subCauses()).containsExactly(row.part());
    }

    @ParameterizedTest
    @MethodSource("parts")
    void a_part_in_another_group_is_its_own_incident(Arbiter.Part row) {
        Scope elsewhere = Scope.mount("speech", "voices", "gpu-09", "/mnt/jfs");
        tick(found(row.part(), elsewhere, Severity.S3), found(row.whole(), at(row.whole()), Severity.S3));
        assertThat(incidents.current()).hasSize(2);
    }

    /** Where a rule judges. */
    private static Scope at(String rule) {
        ScopeKind kind = new RuleBook()
                .cards().stream()
                        .filter(card -> card.id().equals(rule))
                        .findFirst()
                        .orElseThrow()
                        .scope();
        return kind == ScopeKind.HOST
                ? Scope.host("vision", "gpu-01")
                : kind == ScopeKind.REDIS ? Scope.redis("vision", "meta:6379") : MOUNT;
    }

    @Test
    void safety_is_never_merged_away() {
        tick(found(UNSAFE, Scope.redis("vision", "meta:6379"), Severity.S1), found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current()).extracting(Diagnosis::rule).containsExactlyInAnyOrder(UNSAFE, MISSES);
    }

    @Test
    void the_same_judgements_give_the_same_ids() {
        tick(found(MISSES, MOUNT, Severity.S2));
        String id = incidents.current().get(0).id();
        incidents = new Incidents(AXIS, null);
        step = 0;
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current().get(0).id()).isEqualTo(id);
        incidents = new Incidents(AXIS, "a-recording");
        step = 0;
        tick(found(MISSES, MOUNT, Severity.S2));
        assertThat(incidents.current().get(0).id()).as("a recording is another").isNotEqualTo(id);
    }

    private void quiet(int steps) {
        for (int i = 0; i < steps; i++) {
            tick();
        }
    }

    private void tick(Judgement... judgements) {
        long at = AXIS.step(START) + step;
        timeline.close(at);
        told.addAll(incidents
                .next(List.of(judgements), timeline::window, AXIS.startMillis(at + 1), now(step))
                .changes());
        step++;
    }

    private static long now(int step) {
        return START + step * AXIS.stepMillis() + 1_000;
    }

    private List<State> states() {
        return incidents.current().stream().map(Diagnosis::state).toList();
    }

    private List<String> told() {
        return told.stream()
                .map(change -> change.kind() + " " + change.diagnosis().rule())
                .toList();
    }

    private Judgement found(String rule, Scope scope, Severity severity) {
        RuleCard card = new RuleBook()
                .cards().stream()
                        .filter(candidate -> candidate.id().equals(rule))
                        .findFirst()
                        .orElseThrow();
        Text none = Text.same("");
        Onset onset = new Onset(scope, Signal.MISS_BYTES, "", now(step) - AXIS.stepMillis(), now(step));
        return new Judgement(
                card,
                scope,
                new Verdict.Found(new Finding(
                        severity,
                        Confidence.LIKELY,
                        none,
                        new Text("something is wrong", "有问题"),
                        none,
                        List.of(onset),
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of())));
    }
}
