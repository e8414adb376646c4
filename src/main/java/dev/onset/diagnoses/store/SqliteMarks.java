package dev.onset.diagnoses.store;

import dev.onset.diagnoses.Mark;
import dev.onset.diagnoses.Marks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Marks as rows, never changed once written. */
public final class SqliteMarks implements Marks {
    private final SqliteStore store;

    SqliteMarks(SqliteStore store) {
        this.store = store;
    }

    @Override
    public void add(String diagnosis, Mark mark) {
        store.write(
                jdbc -> jdbc.sql("insert into mark (diagnosis, kind, at, author, note, ends) values (?, ?, ?, ?, ?, ?)")
                        .params(diagnosis, mark.kind().name(), mark.atMillis(), mark.author(), mark.note())
                        .param(mark.untilMillis())
                        .update());
    }

    @Override
    public List<Mark> list(String diagnosis) {
        return store.read(jdbc -> jdbc.sql("select * from mark where diagnosis = ? order by id")
                .param(diagnosis)
                .query((row, number) -> mark(row))
                .list());
    }

    @Override
    public Map<String, Mark> silences(long nowMillis) {
        Map<String, Mark> silences = new LinkedHashMap<>();
        // The latest silence of a diagnosis counts: people shorten and lengthen it.
        store.read(jdbc -> {
            jdbc.sql("""
                    select m.* from diagnosis d join mark m on m.diagnosis = d.id
                    where d.state <> 'RESOLVED' and m.ends > ? and m.id =
                      (select max(id) from mark where diagnosis = d.id and ends is not null)
                    order by m.ends desc, m.id
                    """).param(nowMillis).query(row -> {
                silences.put(row.getString("diagnosis"), mark(row));
            });
            return silences;
        });
        return silences;
    }

    private static Mark mark(ResultSet row) throws SQLException {
        long ends = row.getLong("ends");
        @Nullable Long until = row.wasNull() ? null : Long.valueOf(ends);
        return new Mark(
                Mark.Kind.valueOf(row.getString("kind")),
                row.getLong("at"),
                row.getString("author"),
                row.getString("note"),
                until);
    }
}
