package dev.onset.diagnoses.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import dev.onset.diagnoses.Subscriber;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.sqlite.SQLiteException;

/**
 * The one file that holds diagnoses, marks and the outbox. They share it so that a diagnosis and the messages about it
 * are stored together or not at all.
 */
public final class SqliteStore implements AutoCloseable {
    /** FULL, not NORMAL: the last messages before a power cut must not come back as unsent. */
    private static final String PRAGMAS = "?journal_mode=WAL&synchronous=FULL&busy_timeout=5000&foreign_keys=on";

    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private final Path file;
    private final FileChannel lock;
    private final HikariDataSource pool;
    private final JdbcClient jdbc;
    private final SqliteDiagnoses diagnoses;
    private final SqliteMarks marks;
    private final SqliteOutbox outbox;

    private SqliteStore(
            Path file, FileChannel lock, HikariDataSource pool, List<Subscriber> subscribers, InstantSource clock) {
        this.file = file;
        this.lock = lock;
        this.pool = pool;
        this.jdbc = JdbcClient.create(pool);
        this.outbox = new SqliteOutbox(this, List.copyOf(subscribers), clock);
        this.marks = new SqliteMarks(this);
        this.diagnoses = new SqliteDiagnoses(this, outbox);
    }

    /**
     * Opens the file, makes it where there is none, and brings it up to date.
     *
     * @param subscribers for whom messages are queued
     * @throws IllegalArgumentException when the file cannot be used, naming it and saying why
     */
    public static SqliteStore open(Path file, List<Subscriber> subscribers, InstantSource clock) {
        return open(file, subscribers, clock, 4);
    }

    static SqliteStore open(Path file, List<Subscriber> subscribers, InstantSource clock, int connections) {
        FileChannel lock = lock(file);
        @Nullable HikariDataSource pool = null;
        try {
            checkMagic(file);
            pool = pool(file, connections);
            migrate(pool);
            SqliteStore store = new SqliteStore(file, lock, pool, subscribers, clock);
            store.outbox.releaseClaims();
            return store;
        } catch (IOException | RuntimeException e) {
            if (pool != null) {
                pool.close();
            }
            closeQuietly(lock);
            throw e instanceof IllegalArgumentException wrong ? wrong : unusable(file, reason(e), e);
        }
    }

    public SqliteDiagnoses diagnoses() {
        return diagnoses;
    }

    public SqliteMarks marks() {
        return marks;
    }

    public SqliteOutbox outbox() {
        return outbox;
    }

    @Override
    public void close() {
        pool.close();
        closeQuietly(lock);
    }

    /** All of it or nothing. */
    <T> T write(Function<JdbcClient, T> work) {
        try (Connection connection = pool.getConnection()) {
            return transaction(connection, work);
        } catch (DataAccessException | SQLException e) {
            throw new StoreUnavailable(file + ": " + reason(e), e);
        }
    }

    /**
     * Begins and commits by hand. With the driver's auto-commit switched off, a begin that fails (another writer) or a
     * transaction that SQLite itself rolled back (disk full) leaves a connection that only looks as if it had a
     * transaction; its next writes would no longer be all or nothing. For the same reason a connection is thrown away
     * after any failure.
     */
    private <T> T transaction(Connection connection, Function<JdbcClient, T> work) throws SQLException {
        boolean done = false;
        try (Statement statement = connection.createStatement()) {
            statement.execute("begin immediate");
            T result = work.apply(JdbcClient.create(new SingleConnectionDataSource(connection, true)));
            statement.execute("commit");
            done = true;
            return result;
        } finally {
            if (!done) {
                pool.evictConnection(connection);
            }
        }
    }

    <T> T read(Function<JdbcClient, T> work) {
        try {
            return work.apply(jdbc);
        } catch (DataAccessException e) {
            throw new StoreUnavailable(file + ": " + reason(e), e);
        }
    }

    /**
     * A second Onset on the same file would end the first one's claims and send its messages again. The lock is on a
     * file of its own: closing any handle of the database itself would drop SQLite's locks in this process.
     */
    private static FileChannel lock(Path file) {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        @Nullable FileChannel channel = null;
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            channel = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (IOException e) {
            closeQuietly(channel);
            throw unusable(file, "cannot write there (" + e + ")", e);
        } catch (OverlappingFileLockException e) {
            // Held by this very process: the same answer as for another one.
        }
        closeQuietly(channel);
        throw unusable(file, "it is in use by another Onset", null);
    }

    private static void checkMagic(Path file) throws IOException {
        if (!Files.exists(file) || (Files.isRegularFile(file) && Files.size(file) == 0)) {
            return;
        }
        if (!Files.isRegularFile(file)) {
            throw unusable(file, "it is not a regular file", null);
        }
        try (InputStream in = Files.newInputStream(file)) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                throw unusable(file, "it is not an SQLite database", null);
            }
        }
    }

    private static HikariDataSource pool(Path file, int connections) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("onset-store");
        config.setJdbcUrl("jdbc:sqlite:" + file.toAbsolutePath() + PRAGMAS);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static void migrate(HikariDataSource pool) {
        // No ignored migrations: a file written by a newer Onset is refused instead of half understood.
        Flyway.configure()
                .dataSource(pool)
                .ignoreMigrationPatterns(new String[0])
                .load()
                .migrate();
    }

    private static IllegalArgumentException unusable(Path file, String why, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "onset.data: cannot use " + file.toAbsolutePath() + ": " + why
                        + "; name a folder where Onset may write, or move this file away",
                cause);
    }

    private static String reason(Exception e) {
        for (@Nullable Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLiteException sqlite) {
                return switch (sqlite.getResultCode()) {
                    case SQLITE_FULL -> "the disk is full";
                    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_BUSY_SNAPSHOT -> "locked by another program";
                    case SQLITE_NOTADB, SQLITE_CORRUPT -> "damaged: " + sqlite.getMessage();
                    default -> String.valueOf(sqlite.getMessage());
                };
            }
            if (t instanceof FlywayException flyway && flyway.getCause() == null) {
                return "written by another version of Onset: " + flyway.getMessage();
            }
        }
        return String.valueOf(e.getMessage());
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // Nothing is lost: the lock ends with the process at the latest.
        }
    }
}
