package dev.onset.diagnoses.store;

import dev.onset.diagnoses.Diagnoses;
import dev.onset.diagnoses.Diagnosis;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.JacksonException;

/** Diagnoses as rows: columns for lists, the whole as JSON. A row that cannot be read is reported and skipped. */
public final class SqliteDiagnoses implements Diagnoses {
    private static final Logger log = LoggerFactory.getLogger(SqliteDiagnoses.class);

    private final SqliteStore store;
    private final SqliteOutbox outbox;
    private final Set<String> damaged = ConcurrentHashMap.newKeySet();

    SqliteDiagnoses(SqliteStore store, SqliteOutbox outbox) {
        this.store = store;
        this.outbox = outbox;
    }

    @Override
    public void keep(List<Diagnosis> touched, List<DiagnosisChange> changes) {
        if (touched.isEmpty() && changes.isEmpty()) {
            return;
        }
        List<Row> rows = touched.stream()
                .map(diagnosis -> new Row(diagnosis, Content.of(diagnosis)))
                .toList();
        List<SqliteOutbox.Letter> letters = outbox.letters(changes);
        store.write(jdbc -> {
            rows.forEach(row -> row.save(jdbc));
            letters.forEach(letter -> letter.queue(jdbc));
            return rows;
        });
    }

    @Override
    public List<Diagnosis> list(int limit) {
        return all(store.read(
                jdbc -> jdbc.sql("select id from diagnosis where opened > 0 order by opened desc, id limit ?")
                        .param(limit)
                        .query(String.class)
                        .list()));
    }

    @Override
    public List<Diagnosis> resolved(int limit) {
        return all(store.read(
                jdbc -> jdbc.sql("""
                    select id from diagnosis where opened > 0 and state = 'RESOLVED' order by opened desc, id limit ?
                    """).param(limit).query(String.class).list()));
    }

    @Override
    public List<Diagnosis> unresolved() {
        return all(store.read(
                jdbc -> jdbc.sql("select id from diagnosis where state <> 'RESOLVED' order by first_seen, id")
                        .query(String.class)
                        .list()));
    }

    /** Row by row, so that a damaged page of the file costs one diagnosis and not the list. */
    private List<Diagnosis> all(List<String> ids) {
        List<Diagnosis> found = new ArrayList<>();
        for (String id : ids) {
            find(id).ifPresent(found::add);
        }
        return List.copyOf(found);
    }

    @Override
    public Optional<Diagnosis> find(String id) {
        try {
            Optional<Diagnosis> found = store.read(jdbc -> jdbc.sql("select content from diagnosis where id = ?")
                            .param(id)
                            .query(String.class)
                            .optional())
                    .map(Content::diagnosis);
            damaged.remove(id);
            return found;
        } catch (JacksonException | StoreUnavailable e) {
            if (damaged.add(id)) {
                log.error("diagnosis {} cannot be read and is left out: {}", id, e.getMessage());
            }
            return Optional.empty();
        }
    }

    /** Ids of stored diagnoses that could not be read when they were last asked for. */
    public Set<String> damaged() {
        return Set.copyOf(damaged);
    }

    private record Row(Diagnosis diagnosis, String content) {
        void save(JdbcClient jdbc) {
            if (diagnosis.state() == State.RESOLVED && diagnosis.openedMillis() == 0) {
                // It never opened: nobody was told, and nothing lists it.
                jdbc.sql("delete from diagnosis where id = ?")
                        .param(diagnosis.id())
                        .update();
                return;
            }
            jdbc.sql("""
                    insert into diagnosis (id, rule, scope_kind, scope_group, scope_id, state, severity,
                                           first_seen, opened, last_seen, resolved, recording, content)
                    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    on conflict (id) do update set
                      rule = excluded.rule, scope_kind = excluded.scope_kind, scope_group = excluded.scope_group,
                      scope_id = excluded.scope_id, state = excluded.state, severity = excluded.severity,
                      first_seen = excluded.first_seen, opened = excluded.opened, last_seen = excluded.last_seen,
                      resolved = excluded.resolved, recording = excluded.recording, content = excluded.content
                    where content <> excluded.content
                    """)
                    .params(
                            diagnosis.id(),
                            diagnosis.rule(),
                            diagnosis.scope().kind().name(),
                            diagnosis.scope().group(),
                            diagnosis.scope().id(),
                            diagnosis.state().name(),
                            diagnosis.finding().severity().name(),
                            diagnosis.firstSeenMillis(),
                            diagnosis.openedMillis(),
                            diagnosis.lastSeenMillis())
                    .param(diagnosis.resolvedMillis())
                    .param(diagnosis.recording())
                    .param(content)
                    .update();
        }
    }
}
