package dev.onset.diagnoses.store;

import dev.onset.diagnoses.Deliveries;
import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.DiagnosisChange;
import dev.onset.diagnoses.Outbox;
import dev.onset.diagnoses.Subscriber;
import dev.onset.signals.Text;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.JacksonException;

/** The outbox as rows beside the diagnoses. */
public final class SqliteOutbox implements Outbox, Deliveries {
    private static final Logger log = LoggerFactory.getLogger(SqliteOutbox.class);
    private static final Duration KEPT = Duration.ofDays(30);
    private static final Text NOTHING = Text.same("");
    private static final Text DAMAGED = new Text("the stored message is damaged", "存储的消息已损坏");
    private static final Text NOT_CONFIGURED = new Text("this receiver is no longer configured", "该接收方已不在配置中");

    private final SqliteStore store;
    private final List<Subscriber> subscribers;
    private final InstantSource clock;

    SqliteOutbox(SqliteStore store, List<Subscriber> subscribers, InstantSource clock) {
        this.store = store;
        this.subscribers = subscribers;
        this.clock = clock;
    }

    /** A change for one receiver. */
    record Letter(String receiver, DiagnosisChange change, String content, long nowMillis) {
        /** Silenced diagnoses stay quiet, but what was opened at a receiver is closed there even so. */
        void queue(JdbcClient jdbc) {
            jdbc.sql("""
                    insert into outbox (receiver, diagnosis, kind, sequence, content, queued, due)
                    select :receiver, :diagnosis, :kind, :sequence, :content, :now, :now
                    where :kind = 'RESOLVED' or not exists (
                      select 1 from mark where diagnosis = :diagnosis and kind = 'SILENCED' and ends > :now)
                    on conflict (diagnosis, kind, sequence, receiver) do nothing
                    """)
                    .param("receiver", receiver)
                    .param("diagnosis", change.diagnosis().id())
                    .param("kind", change.kind().name())
                    .param("sequence", change.sequence())
                    .param("content", content)
                    .param("now", nowMillis)
                    .update();
        }
    }

    /** What to queue for whom. A recording is a story of the past: nobody is woken for it. */
    List<Letter> letters(List<DiagnosisChange> changes) {
        long now = clock.millis();
        return changes.stream()
                .filter(change -> change.diagnosis().recording() == null)
                .flatMap(change -> {
                    String content = Content.of(change);
                    return subscribers.stream()
                            .filter(s -> change.diagnosis().finding().severity().atLeast(s.minimum()))
                            .map(s -> new Letter(s.name(), change, content, now));
                })
                .toList();
    }

    /** Claims of the process before this one; the lock on the file says that it is gone. */
    void releaseClaims() {
        try {
            store.write(jdbc -> jdbc.sql(
                            "update outbox set claimed_until = 0 where state = 'PENDING' and claimed_until > 0")
                    .update());
        } catch (StoreUnavailable e) {
            // A full disk must not keep the service from judging: the claims end by themselves.
            log.warn("messages that were under way wait for two minutes: {}", e.getMessage());
        }
    }

    @Override
    public Optional<Queued> claim(String receiver, long nowMillis, long untilMillis) {
        return store.write(jdbc -> {
            Optional<Queued> next = next(jdbc, receiver, nowMillis);
            next.ifPresent(message -> jdbc.sql(
                            "update outbox set claimed_until = ?, attempts = attempts + 1, attempted = ? where id = ?")
                    .params(untilMillis, nowMillis, message.row())
                    .update());
            return next;
        });
    }

    private Optional<Queued> next(JdbcClient jdbc, String receiver, long nowMillis) {
        while (true) {
            Optional<Row> row = jdbc.sql("""
                    select * from outbox o
                    where state = 'PENDING' and receiver = :receiver and due <= :now and claimed_until <= :now
                      and not exists (select 1 from outbox e where e.diagnosis = o.diagnosis
                                      and e.receiver = o.receiver and e.state = 'PENDING' and e.id < o.id)
                    order by attempts, id limit 1
                    """)
                    .param("receiver", receiver)
                    .param("now", nowMillis)
                    .query((result, number) -> Row.of(result))
                    .optional();
            Optional<Queued> message = row.flatMap(Row::read);
            if (row.isEmpty() || message.isPresent()) {
                return message;
            }
            log.error(
                    "message {} of the outbox cannot be read and is given up",
                    row.get().id());
            finish(jdbc, row.get().id(), State.REFUSED, nowMillis, DAMAGED);
        }
    }

    @Override
    public void delivered(Queued message, long nowMillis, Text note) {
        store.write(jdbc -> finish(jdbc, message.row(), State.DELIVERED, nowMillis, note));
    }

    @Override
    public void refused(Queued message, long nowMillis, Text reason) {
        store.write(jdbc -> finish(jdbc, message.row(), State.REFUSED, nowMillis, reason));
    }

    /** The text of a finished message is not needed any more; its key stays, so that it is never queued again. */
    private static int finish(JdbcClient jdbc, long row, State state, long nowMillis, Text reason) {
        return jdbc.sql("""
                update outbox set state = ?, content = '', attempted = ?, reason_en = ?, reason_zh = ?
                where id = ? and state = 'PENDING'
                """)
                .params(state.name(), nowMillis, reason.en(), reason.zh(), row)
                .update();
    }

    @Override
    public void again(Queued message, long nowMillis, long dueMillis, Text reason) {
        store.write(jdbc -> jdbc.sql("""
                        update outbox set claimed_until = 0, due = ?, attempted = ?,
                          repeats = case when reason_en = ? then repeats + 1 else 1 end,
                          reason_en = ?, reason_zh = ?
                        where id = ? and state = 'PENDING'
                        """)
                .params(dueMillis, nowMillis, reason.en(), reason.en(), reason.zh(), message.row())
                .update());
    }

    @Override
    public void tidy(Set<String> configured, long nowMillis) {
        store.write(jdbc -> {
            List<String> waiting = jdbc.sql("select distinct receiver from outbox where state = 'PENDING'")
                    .query(String.class)
                    .list();
            for (String receiver : waiting) {
                if (!configured.contains(receiver)) {
                    jdbc.sql("""
                            update outbox set state = 'REFUSED', content = '', attempted = ?, reason_en = ?, reason_zh = ?
                            where state = 'PENDING' and receiver = ?
                            """)
                            .params(nowMillis, NOT_CONFIGURED.en(), NOT_CONFIGURED.zh(), receiver)
                            .update();
                }
            }
            return jdbc.sql("delete from outbox where state <> 'PENDING' and queued < ?")
                    .param(nowMillis - KEPT.toMillis())
                    .update();
        });
    }

    @Override
    public List<Tally> tallies() {
        return store.read(jdbc -> jdbc.sql("""
                        select receiver, sum(state = 'PENDING') pending, sum(state = 'DELIVERED') delivered,
                          sum(state = 'REFUSED') refused, max(case when state = 'DELIVERED' then attempted end) arrived
                        from outbox group by receiver order by receiver
                        """).query((row, number) -> tally(row)).list().stream()
                .map(tally ->
                        lastError(jdbc, tally.receiver()).map(tally::failed).orElse(tally))
                .toList());
    }

    @Override
    public long pending() {
        return store.read(jdbc -> jdbc.sql("select count(*) from outbox where state = 'PENDING'")
                .query(Long.class)
                .single());
    }

    private static Tally tally(ResultSet row) throws SQLException {
        String receiver = row.getString("receiver");
        long pending = row.getLong("pending");
        long delivered = row.getLong("delivered");
        long refused = row.getLong("refused");
        long arrived = row.getLong("arrived");
        @Nullable Long lastDelivered = row.wasNull() ? null : Long.valueOf(arrived);
        return new Tally(receiver, pending, delivered, refused, null, null, lastDelivered);
    }

    private static Optional<Entry> lastError(JdbcClient jdbc, String receiver) {
        return jdbc.sql("""
                select * from outbox where receiver = ? and reason_en <> '' order by attempted desc, id desc limit 1
                """).param(receiver).query((row, number) -> entry(row)).optional();
    }

    @Override
    public List<Entry> of(String diagnosis) {
        return store.read(jdbc -> jdbc.sql("select * from outbox where diagnosis = ? order by id")
                .param(diagnosis)
                .query((row, number) -> entry(row))
                .list());
    }

    private static Entry entry(ResultSet row) throws SQLException {
        long attempted = row.getLong("attempted");
        return new Entry(
                row.getString("receiver"),
                DiagnosisChange.Kind.valueOf(row.getString("kind")),
                State.valueOf(row.getString("state")),
                row.getInt("attempts"),
                reason(row),
                attempted == 0 ? row.getLong("queued") : attempted);
    }

    private static Text reason(ResultSet row) throws SQLException {
        String english = row.getString("reason_en");
        return english.isEmpty() ? NOTHING : new Text(english, row.getString("reason_zh"));
    }

    private record Row(
            long id, String receiver, String content, long queued, int attempts, String reason, int repeats) {
        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getLong("id"),
                    row.getString("receiver"),
                    row.getString("content"),
                    row.getLong("queued"),
                    row.getInt("attempts"),
                    row.getString("reason_en"),
                    row.getInt("repeats"));
        }

        Optional<Queued> read() {
            try {
                return Optional.of(
                        new Queued(id, receiver, Content.change(content), queued, attempts + 1, reason, repeats));
            } catch (JacksonException e) {
                return Optional.empty();
            }
        }
    }
}
