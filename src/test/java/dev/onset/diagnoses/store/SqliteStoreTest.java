package dev.onset.diagnoses.store;

import static dev.onset.diagnoses.DiagnosisChange.Kind.OPENED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.RESOLVED;
import static dev.onset.diagnoses.DiagnosisChange.Kind.UPDATED;
import static dev.onset.diagnoses.Example.diagnosis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onset.diagnoses.Deliveries;
import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Example;
import dev.onset.diagnoses.Mark;
import dev.onset.diagnoses.Outbox.Queued;
import dev.onset.diagnoses.Subscriber;
import dev.onset.rules.Severity;
import dev.onset.signals.Text;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest {
    private static final long NOW = Example.OPENED + 60_000;
    private static final long LATER = NOW + 60_000;
    private static final Subscriber OPS = new Subscriber("ops", Severity.S3);
    private static final Subscriber PAGER = new Subscriber("pager", Severity.S1);

    @TempDir
    Path folder;

    private Path file;
    private SqliteStore store;

    @BeforeEach
    void open() {
        file = folder.resolve("data/onset.db");
        store = SqliteStore.open(file, List.of(OPS, PAGER), InstantSource.fixed(Instant.ofEpochMilli(NOW)), 1);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        close();
        open();
    }

    @Test
    void gives_back_every_field_of_a_diagnosis_after_a_restart() {
        Diagnosis whole = diagnosis("d1").recordedIn("02-cache").resolvedAt(NOW).build();

        keep(whole);
        reopen();

        Diagnosis read = store.diagnoses().find("d1").orElseThrow();
        assertThat(read)
                .usingRecursiveComparison()
                .withComparatorForType(Double::compare, Double.class)
                .isEqualTo(whole);
        assertThat(read.evidence().lanes().get(0).values())
                .containsExactly(0.05, Double.NaN, 0.61, Double.POSITIVE_INFINITY, -0.0);
        assertThat(read.finding().summary().zh()).startsWith("gpu-07 上的 imagenet");
        assertThat(read.resolvedMillis()).isEqualTo(NOW);
    }

    @Test
    void lists_the_newest_first_without_pending_ones() {
        keep(
                diagnosis("old").openedAt(1000).build(),
                diagnosis("new").openedAt(2000).build(),
                diagnosis("soon").pending().build());

        assertThat(store.diagnoses().list(10)).extracting(Diagnosis::id).containsExactly("new", "old");
        assertThat(store.diagnoses().list(1)).extracting(Diagnosis::id).containsExactly("new");
    }

    @Test
    void remembers_pending_ones_across_a_restart_and_forgets_those_that_never_opened() {
        keep(
                diagnosis("soon").pending().build(),
                diagnosis("open").build(),
                diagnosis("done").resolvedAt(NOW).build());
        reopen();
        assertThat(store.diagnoses().unresolved()).extracting(Diagnosis::id).containsExactly("open", "soon");

        keep(diagnosis("soon").pending().resolvedAt(NOW).build());

        assertThat(store.diagnoses().find("soon")).isEmpty();
    }

    @Test
    void queues_each_change_for_each_receiver_that_wants_its_severity() {
        keep(diagnosis("d1").change(OPENED));
        keep(diagnosis("d2").severity(Severity.S1).change(OPENED));
        keep(diagnosis("d3").severity(Severity.S4).change(OPENED));

        assertThat(store.outbox().of("d1"))
                .extracting(Deliveries.Entry::receiver)
                .containsExactly("ops");
        assertThat(store.outbox().of("d2"))
                .extracting(Deliveries.Entry::receiver)
                .containsExactly("ops", "pager");
        assertThat(store.outbox().of("d3")).isEmpty();
    }

    @Test
    void never_queues_a_message_about_a_recording() {
        keep(diagnosis("d1").recordedIn("02-cache").severity(Severity.S1).change(OPENED));

        assertThat(store.diagnoses().find("d1")).isPresent();
        assertThat(store.outbox().of("d1")).isEmpty();
    }

    @Test
    void keeping_the_same_state_twice_changes_nothing_and_queues_nothing_twice() {
        keep(diagnosis("d1").change(OPENED));
        long changes = totalChanges();

        keep(diagnosis("d1").change(OPENED));

        assertThat(totalChanges()).isEqualTo(changes);
        assertThat(store.outbox().of("d1")).hasSize(1);
    }

    @Test
    void queues_two_changes_of_the_same_kind_that_happened_at_different_times() {
        keep(diagnosis("d1").updatedAt(NOW).change(UPDATED));
        keep(diagnosis("d1").updatedAt(NOW).updatedAt(LATER).change(UPDATED));

        assertThat(store.outbox().of("d1")).hasSize(2);
    }

    @Test
    void a_message_that_was_delivered_is_not_queued_again() {
        keep(diagnosis("d1").change(OPENED));
        store.outbox().delivered(claim("ops"), NOW, Text.same(""));

        keep(diagnosis("d1").change(OPENED));

        assertThat(store.outbox().claim("ops", LATER, LATER)).isEmpty();
    }

    @Test
    void says_that_the_disk_is_full_loses_nothing_and_goes_on_when_there_is_room() {
        keep(diagnosis("d1").change(OPENED));
        limitPages(pages());

        assertThatThrownBy(() -> fill(200))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("the disk is full")
                .hasMessageContaining("onset.db");

        assertThat(store.diagnoses().find("d1")).isPresent();
        long kept = store.diagnoses().list(1000).size();
        assertThat(messages()).isEqualTo(kept);

        limitPages(1_000_000);
        fill(200);
        assertThat(store.diagnoses().list(1000)).hasSize(201);
        assertThat(messages()).isEqualTo(201);
        reopen();
        assertThat(store.diagnoses().list(1000)).hasSize(201);
    }

    @Test
    void says_that_the_file_is_locked_and_goes_on_when_it_is_free() throws SQLException {
        sql("pragma busy_timeout = 20");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            other.createStatement().execute("begin immediate");
            assertThatThrownBy(() -> keep(diagnosis("d1").change(OPENED)))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("locked by another program");
            assertThat(store.diagnoses().list(10)).isEmpty();
        }

        keep(diagnosis("d1").change(OPENED));

        assertThat(store.diagnoses().list(10)).hasSize(1);
    }

    @Test
    void a_damaged_row_is_reported_and_skipped() {
        keep(diagnosis("d1").build(), diagnosis("d2").build());
        update("update diagnosis set content = '{\"id\": 1, \"rule\": [' where id = 'd1'");

        assertThat(store.diagnoses().list(10)).extracting(Diagnosis::id).containsExactly("d2");
        assertThat(store.diagnoses().find("d1")).isEmpty();
        assertThat(store.diagnoses().damaged()).containsExactly("d1");
    }

    @Test
    void an_unknown_word_in_a_row_counts_as_damage() {
        keep(diagnosis("d1").build());
        update("update diagnosis set content = replace(content, '\"LIKELY\"', '\"SURE\"')");

        assertThat(store.diagnoses().list(10)).isEmpty();
        assertThat(store.diagnoses().damaged()).containsExactly("d1");
    }

    @Test
    void a_damaged_page_costs_the_diagnosis_on_it_and_not_the_others() throws IOException {
        fill(40);
        close();
        overwritePageWith("\"id\":\"f20\"");
        open();

        assertThat(store.diagnoses().list(100)).hasSizeBetween(30, 39);
        assertThat(store.diagnoses().damaged()).contains("f20");
        keep(diagnosis("next").change(OPENED));
        assertThat(store.diagnoses().find("next")).isPresent();
    }

    private void overwritePageWith(String text) throws IOException {
        int pageSize = 4096;
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        int page = bytes.indexOf(text) / pageSize;
        try (RandomAccessFile damage = new RandomAccessFile(file.toFile(), "rw")) {
            damage.seek((long) page * pageSize);
            damage.write(new byte[64]);
        }
    }

    @Test
    void a_damaged_message_is_refused_and_the_next_one_goes_out() {
        keep(diagnosis("d1").change(OPENED));
        keep(diagnosis("d2").change(OPENED));
        update("update outbox set content = 'x' where diagnosis = 'd1'");

        assertThat(claim("ops").change().diagnosis().id()).isEqualTo("d2");
        assertThat(store.outbox().of("d1").get(0).reason().en()).contains("damaged");
    }

    @Test
    void refuses_to_start_on_a_file_that_is_not_a_database() throws IOException {
        Path other = Files.writeString(folder.resolve("notes.txt"), "these are my notes, not a database");

        assertThatThrownBy(() -> SqliteStore.open(other, List.of(), InstantSource.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onset.data")
                .hasMessageContaining("notes.txt")
                .hasMessageContaining("not an SQLite database");
        assertThat(other).hasContent("these are my notes, not a database");
    }

    @Test
    void refuses_to_start_on_a_folder_and_where_it_may_not_write() throws IOException {
        assertThatThrownBy(() -> SqliteStore.open(folder, List.of(), InstantSource.system()))
                .hasMessageContaining(folder.toString())
                .hasMessageContaining("not a regular file");
        Path inFile = Files.createFile(folder.resolve("plain")).resolve("onset.db");
        assertThatThrownBy(() -> SqliteStore.open(inFile, List.of(), InstantSource.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot write there");
    }

    @Test
    void refuses_to_share_its_file_with_another_onset() {
        assertThatThrownBy(() -> SqliteStore.open(file, List.of(), InstantSource.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("in use by another Onset");
    }

    @Test
    void refuses_a_file_that_a_newer_onset_wrote() {
        update("""
                insert into flyway_schema_history
                select 99, '99', 'from the future', type, 'V99__x.sql', 1, installed_by, installed_on, 1, 1
                from flyway_schema_history where version = '1'
                """);
        close();

        assertThatThrownBy(this::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another version of Onset");
    }

    @Test
    void hands_out_a_message_once_until_its_claim_ends_or_the_process_restarts() {
        keep(diagnosis("d1").change(OPENED));
        assertThat(store.outbox().claim("ops", NOW, LATER)).isPresent();
        assertThat(store.outbox().claim("ops", NOW, LATER)).isEmpty();
        assertThat(store.outbox().claim("ops", LATER, LATER + 1)).isPresent();

        reopen();

        assertThat(claim("ops").attempts()).isEqualTo(3);
    }

    @Test
    void messages_about_one_diagnosis_keep_their_order_and_failing_ones_let_others_pass() {
        keep(diagnosis("d1").change(OPENED));
        keep(diagnosis("d1").resolvedAt(LATER).change(RESOLVED));
        keep(diagnosis("d2").change(OPENED));

        Queued first = claim("ops");
        store.outbox().again(first, NOW, NOW, Text.same("down"));
        Queued second = claim("ops");
        store.outbox().delivered(second, NOW, Text.same(""));
        Queued third = claim("ops");
        store.outbox().delivered(third, NOW, Text.same(""));
        Queued fourth = claim("ops");

        assertThat(List.of(first, second, third, fourth))
                .extracting(message -> message.change().messageId())
                .containsExactly(
                        "d1/opened/" + Example.OPENED,
                        "d2/opened/" + Example.OPENED,
                        "d1/opened/" + Example.OPENED,
                        "d1/resolved/" + LATER);
    }

    @Test
    void counts_how_often_an_attempt_failed_for_the_same_reason() {
        keep(diagnosis("d1").change(OPENED));
        for (String reason : List.of("down", "down", "busy")) {
            store.outbox().again(claim("ops"), NOW, NOW, Text.same(reason));
        }

        Queued last = claim("ops");

        assertThat(last.attempts()).isEqualTo(4);
        assertThat(last.lastReason()).isEqualTo("busy");
        assertThat(last.repeats()).isEqualTo(1);
    }

    @Test
    void tells_what_became_of_the_messages() {
        keep(diagnosis("d1").severity(Severity.S1).change(OPENED));
        keep(diagnosis("d2").change(OPENED));
        store.outbox().delivered(claim("ops"), NOW, Text.same(""));
        store.outbox().refused(claim("ops"), LATER, new Text("no such channel", "频道不存在"));

        assertThat(store.outbox().tallies())
                .containsExactly(
                        new Deliveries.Tally("ops", 0, 1, 1, new Text("no such channel", "频道不存在"), LATER, NOW),
                        new Deliveries.Tally("pager", 1, 0, 0, null, null, null));
        assertThat(store.outbox().of("d2"))
                .containsExactly(new Deliveries.Entry(
                        "ops", OPENED, Deliveries.State.REFUSED, 1, new Text("no such channel", "频道不存在"), LATER));
    }

    @Test
    void gives_up_messages_for_receivers_that_are_gone_and_forgets_old_ones() {
        keep(diagnosis("d1").severity(Severity.S1).change(OPENED));
        store.outbox().delivered(claim("ops"), NOW, Text.same(""));

        store.outbox().tidy(Set.of("ops"), NOW);
        assertThat(store.outbox().of("d1"))
                .extracting(Deliveries.Entry::state)
                .containsExactly(Deliveries.State.DELIVERED, Deliveries.State.REFUSED);

        store.outbox().tidy(Set.of("ops"), NOW + Duration.ofDays(31).toMillis());
        assertThat(store.outbox().of("d1")).isEmpty();
    }

    @Test
    void keeps_what_people_said_in_order() {
        Mark wrong = new Mark(Mark.Kind.WRONG_CAUSE, NOW, "li", "是另一个任务 <b>", null);
        Mark silence = new Mark(Mark.Kind.SILENCED, NOW + 1, "ann", "", LATER);
        store.marks().add("d1", wrong);
        store.marks().add("d1", silence);
        store.marks().add("d2", new Mark(Mark.Kind.FIX_APPLIED, NOW, "ann", "remounted", null));
        reopen();

        assertThat(store.marks().list("d1")).containsExactly(wrong, silence);
    }

    @Test
    void a_silence_always_ends() {
        assertThatThrownBy(() -> new Mark(Mark.Kind.SILENCED, NOW, "ann", "", null))
                .hasMessageContaining("must have an end");
        assertThatThrownBy(() -> new Mark(Mark.Kind.SILENCED, NOW, "ann", "", NOW))
                .hasMessageContaining("after");
        assertThatThrownBy(() -> new Mark(Mark.Kind.SILENCED, NOW, "ann", "", Long.MAX_VALUE))
                .hasMessageContaining("within 30 days");
    }

    @Test
    void a_silenced_diagnosis_sends_no_updates_but_still_its_end() {
        keep(diagnosis("d1").change(OPENED));
        store.marks().add("d1", new Mark(Mark.Kind.SILENCED, NOW - 1, "ann", "", NOW + 1));
        assertThat(store.marks().silences(NOW)).containsOnlyKeys("d1");
        assertThat(store.marks().silences(NOW + 1)).isEmpty();

        keep(diagnosis("d1").updatedAt(NOW).change(UPDATED));
        keep(diagnosis("d1").resolvedAt(NOW).change(RESOLVED));

        assertThat(store.outbox().of("d1")).extracting(Deliveries.Entry::kind).containsExactly(OPENED, RESOLVED);
    }

    @Test
    void the_latest_silence_of_a_diagnosis_counts_and_the_one_that_ends_last_comes_first() {
        keep(
                diagnosis("d1").build(),
                diagnosis("d2").build(),
                diagnosis("d3").build(),
                diagnosis("d4").resolvedAt(NOW).build());
        silence("d1", 50);
        silence("d1", 20);
        silence("d2", 30);
        silence("d3", 50);
        silence("d3", 5);
        silence("d4", 50);

        assertThat(store.marks().silences(NOW + 10).keySet()).containsExactly("d2", "d1");
    }

    @Test
    void what_is_over_is_listed_apart() {
        keep(
                diagnosis("d1").openedAt(1).resolvedAt(NOW).build(),
                diagnosis("d2").openedAt(2).build(),
                diagnosis("d3").openedAt(3).resolvedAt(NOW).build());

        assertThat(store.diagnoses().resolved(5)).extracting(Diagnosis::id).containsExactly("d3", "d1");
        assertThat(store.diagnoses().resolved(1)).extracting(Diagnosis::id).containsExactly("d3");
    }

    private void silence(String diagnosis, long millis) {
        store.marks().add(diagnosis, new Mark(Mark.Kind.SILENCED, NOW, "ann", "", NOW + millis));
    }

    private void keep(Diagnosis... diagnoses) {
        store.diagnoses().keep(List.of(diagnoses), List.of());
    }

    private void keep(DiagnosisChange change) {
        store.diagnoses().keep(List.of(change.diagnosis()), List.of(change));
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            keep(diagnosis("f" + i).change(OPENED));
        }
    }

    private Queued claim(String receiver) {
        return store.outbox().claim(receiver, NOW, NOW + 1000).orElseThrow();
    }

    private void limitPages(long pages) {
        sql("pragma max_page_count = " + pages);
    }

    private long pages() {
        return sql("pragma page_count");
    }

    private long messages() {
        return sql("select count(*) from outbox");
    }

    private long totalChanges() {
        return sql("select total_changes()");
    }

    private long sql(String query) {
        return store.read(jdbc -> jdbc.sql(query).query(Long.class).single());
    }

    private void update(String statement) {
        store.write(jdbc -> jdbc.sql(statement).update());
    }
}
