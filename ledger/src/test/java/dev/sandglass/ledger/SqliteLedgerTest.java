package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.wire.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
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
    void refusesAFileThatIsNoDatabase() throws IOException {
        Path text = Files.writeString(directory.resolve("text.db"), "this is not a database, whatever its name says ".repeat(100));
        fails(ErrorCode.LEDGER_FAILED, () -> SqliteLedger.open(text));
    }
}
