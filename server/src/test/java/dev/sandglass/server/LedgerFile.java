package dev.sandglass.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A daemon's ledger as a file that a test may tamper with while no daemon runs. */
final class LedgerFile {
    private LedgerFile() {}

    static Path of(TestDaemon daemon) {
        return daemon.data().resolve("ledger.db");
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
