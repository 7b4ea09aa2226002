package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Activity;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.Lineage;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.engine.sandbox.SnapshotId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteLedgerTest extends LedgerContractTest {
    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("ledger.db");
    }

    @Override
    Ledger open() {
        return SqliteLedger.open(file());
    }

    @Test
    void isReadableByItsOwnerOnly() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file()))).isEqualTo("rw-------");
        assertThat(directory.resolve("ledger.db.backup")).as("of an empty one").doesNotExist();
        open().close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("ledger.db.backup"))))
                .isEqualTo("rw-------");
    }

    @Test
    void refusesADamagedFileAndItsBackupTakesOver() throws IOException {
        Path damaged = directory.resolve("damaged.db");
        try (Ledger ledger = SqliteLedger.open(damaged)) {
            for (int i = 0; i < 200; i++) {
                ledger.insert(record(String.format("sbx-%012d", i), "name" + i));
            }
        }
        SqliteLedger.open(damaged).close(); // makes the backup
        try (FileChannel channel = FileChannel.open(damaged, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(12_000), 4096);
        }
        fails(ErrorCode.LEDGER_FAILED, () -> SqliteLedger.open(damaged));
        Files.copy(directory.resolve("damaged.db.backup"), damaged, StandardCopyOption.REPLACE_EXISTING);
        try (Ledger ledger = SqliteLedger.open(damaged)) {
            assertThat(ledger.sandboxes()).hasSize(200);
        }
    }

    @Test
    void theBackupIsReadableByTheProgramThatWroteIt() throws IOException, SQLException {
        Path old = directory.resolve("old.db");
        IdempotencyKey key = IdempotencyKey.of("key", "request");
        SandboxRecord made = record("sbx-aaaaaaaaaaaa", "first");
        try (Ledger ledger = SqliteLedger.open(old)) {
            ledger.insertOnce(made, key);
        }
        toSchema8(old);
        SqliteLedger.open(old).close();
        assertThat(schema(directory.resolve("old.db.backup"))).isEqualTo(8);
        try (Ledger ledger = SqliteLedger.open(old)) {
            assertThat(ledger.madeBy(key)).as("what an earlier program wrote of it").containsExactly(made);
        }
        assertThat(schema(directory.resolve("old.db.backup"))).as("at the next start").isGreaterThan(8);
        assertThat(schema(directory.resolve("old.db.schema-8"))).as("what was before the migration").isEqualTo(8);
        Files.copy(directory.resolve("old.db.schema-8"), old, StandardCopyOption.REPLACE_EXISTING);
        assertThat(schema(old)).isEqualTo(8);
        SqliteLedger.open(old).close();
        assertThat(schema(old)).as("forward once more").isGreaterThan(8);
    }

    @Test
    void aRowOfAnEarlierProgramIsReadAsWhatItMeantThen() throws SQLException {
        SandboxRecord made = record("sbx-aaaaaaaaaaaa", "one");
        SandboxRecord paused = made.in(new SandboxState.Paused(Optional.empty(), false, Cause.TTL), Lineage.OF_AN_IMAGE.undoneBy(SnapshotId.random(), Activity.STOPPED));
        try (Ledger ledger = open()) {
            ledger.insert(made);
            ledger.update(paused);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE sandbox SET reason = NULL, details = json_remove(details, '$.before', '$.generation')");
        }
        try (Ledger ledger = open()) {
            SandboxRecord read = ledger.find(made.id()).orElseThrow();
            assertThat(read.state()).isEqualTo(new SandboxState.Paused(Optional.empty(), false, Optional.empty()));
            assertThat(read.lineage().before()).isEqualTo(Activity.RUNNING);
            assertThat(read.lineage().generation()).isEqualTo(1);
            assertThat(ledger.highestGeneration()).isEqualTo(1);
        }
    }

    private static void toSchema8(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE journey");
            statement.execute("DROP TABLE credential");
            statement.execute("DROP TABLE spending");
            statement.execute("DROP TABLE image");
            statement.execute("DROP TABLE image_name");
            statement.execute("DROP TABLE route");
            statement.execute("DROP TABLE port_link");
            statement.execute("DROP TABLE unconfirmed");
            statement.execute("DROP TABLE template");
            statement.execute("DROP TABLE template_version");
            statement.execute("DROP TABLE ready");
            statement.execute("DROP TABLE api_key");
            statement.execute("DROP TABLE template_tag");
            statement.execute("DROP TABLE build");
            statement.execute("DROP TABLE build_step");
            statement.execute("DROP TABLE volume");
            statement.execute("DROP TABLE volume_use");
            statement.execute("ALTER TABLE idempotency RENAME COLUMN made TO sandbox_id");
            statement.execute("DELETE FROM schema_step WHERE step > 8");
        }
    }

    private static int schema(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet steps = statement.executeQuery("SELECT MAX(step) FROM schema_step")) {
            return steps.getInt(1);
        }
    }

    @Test
    void whatAKillLeftBehindIsInTheBackupAndNotPlayedOntoIt() throws IOException {
        Path killed = directory.resolve("killed.db");
        try (Ledger ledger = open()) {
            ledger.insert(record("sbx-aaaaaaaaaaaa", "first"));
            copyAsAfterAKill(file(), killed);
            try (Ledger next = SqliteLedger.open(killed)) {
                next.insert(record("sbx-bbbbbbbbbbbb", "second"));
                copyAsAfterAKill(killed, directory.resolve("again.db"));
            }
        }
        Path backup = directory.resolve("killed.db.backup");
        Path again = directory.resolve("again.db");
        Files.copy(backup, again, StandardCopyOption.REPLACE_EXISTING);
        Files.delete(directory.resolve("again.db-wal")); // as the hint says
        Files.deleteIfExists(directory.resolve("again.db-shm"));
        try (Ledger ledger = SqliteLedger.open(again)) {
            assertThat(ledger.sandboxes()).extracting(SandboxRecord::name).containsExactly("first");
        }
    }

    private static void copyAsAfterAKill(Path open, Path copy) throws IOException {
        for (String part : List.of("", "-wal")) {
            Files.copy(open.resolveSibling(open.getFileName() + part), copy.resolveSibling(copy.getFileName() + part));
        }
    }

    @Test
    void theHintNamesWhatWouldBePlayedOntoTheBackup() throws IOException {
        Path text = Files.writeString(directory.resolve("text.db"), "this is not a database ".repeat(100));
        assertThatThrownBy(() -> SqliteLedger.open(text))
                .asInstanceOf(type(SandglassException.class))
                .extracting(SandglassException::hint)
                .asString()
                .contains("ledger.db.backup", "ledger.db-wal", "ledger.db-shm");
    }

    @Test
    void keepsABoundedHistoryOfTheDestroyed() throws SQLException {
        Path full = directory.resolve("full.db");
        try (Ledger ledger = SqliteLedger.open(full)) {
            SandboxRecord model = record("sbx-zzzzzzzzzzzz", "model");
            ledger.insert(model);
            ledger.update(model.in(new SandboxState.Destroyed(Optional.empty())));
            fill(full);
            for (int i = 0; i < 99; i++) {
                SandboxRecord record = record(String.format("sbx-%012d", i), "name" + i);
                ledger.insert(record);
                ledger.update(record.in(new SandboxState.Destroyed(Optional.empty())));
            }
            assertThat(rows(full)).as("while it is open").isEqualTo(10_000);
            SandboxRecord alive = record("sbx-aaaaaaaaaaaa", "alive");
            ledger.insert(alive);
            fill(full);
        }
        SqliteLedger.open(full).close();
        assertThat(rows(full)).as("after it was opened").isEqualTo(10_001);
    }

    /** Ten thousand and some old rows of destroyed sandboxes. */
    private static void fill(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TEMP TABLE old AS SELECT * FROM sandbox WHERE state = 'destroyed' LIMIT 1");
            statement.execute("UPDATE old SET created_at = 1");
            statement.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500)"
                    + " INSERT OR REPLACE INTO sandbox SELECT printf('old-%d', i), version, printf('old-%d', i), state, reason, pid,"
                    + " start_ticks, boot_id, runtime, security, memory_bytes, cpus, disk_bytes, processes, image, agent, details,"
                    + " created_at, started_at FROM n, old");
        }
    }

    private static long rows(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM sandbox")) {
            return count.getLong(1);
        }
    }

    @Test
    void refusesAFileThatIsNoDatabase() throws IOException {
        Path text = Files.writeString(directory.resolve("text.db"), "this is not a database, whatever its name says ".repeat(100));
        fails(ErrorCode.LEDGER_FAILED, () -> SqliteLedger.open(text));
    }
}
