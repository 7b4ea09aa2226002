package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Ledger;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteReadyTest extends ReadyContractTest {
    @TempDir
    private Path directory;

    @Override
    Ledger open() {
        return SqliteLedger.open(directory.resolve("ledger.db"));
    }
}
