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

    static void update(TestDaemon daemon, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + of(daemon));
                Statement statement = connection.createStatement()) {
            if (statement.executeUpdate(sql) != 1) {
                throw new AssertionError(sql + " changed nothing");
            }
        }
    }
}
