package dev.sandglass.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A daemon's ledger as a file that a test may read, and tamper with while no daemon runs. */
final class LedgerFile {
    private LedgerFile() {}

    static Path of(TestDaemon daemon) {
        return daemon.data().resolve("ledger.db");
    }

    /** The first column of what is found. */
    static List<Long> numbers(TestDaemon daemon, String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + of(daemon));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Long> numbers = new ArrayList<>();
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
            return numbers;
        } catch (SQLException problem) {
            throw new AssertionError(sql, problem);
        }
    }

    /** Lets the ledger refuse to write that any sandbox is in that state, until it is closed. */
    static Refusal refusing(TestDaemon daemon, String state) {
        execute(daemon, "CREATE TRIGGER refusal BEFORE UPDATE ON sandbox WHEN NEW.state = '" + state + "' BEGIN SELECT RAISE(ABORT, 'refused by a test'); END");
        return () -> execute(daemon, "DROP TRIGGER refusal");
    }

    /** A ledger that refuses something. */
    interface Refusal extends AutoCloseable {
        @Override
        void close();
    }

    private static void execute(TestDaemon daemon, String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + of(daemon));
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            statement.execute(sql);
        } catch (SQLException problem) {
            throw new AssertionError(sql, problem);
        }
    }

    static void update(TestDaemon daemon, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + of(daemon));
                Statement statement = connection.createStatement()) {
            if (statement.executeUpdate(sql) != 1) {
                throw new AssertionError(sql + " changed nothing");
            }
        }
    }
}
