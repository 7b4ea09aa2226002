package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Ledger;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteApiKeyTest extends ApiKeyContractTest {
    @TempDir
    private Path directory;

    @Override
    Ledger open() {
        return SqliteLedger.open(directory.resolve("ledger.db"));
    }
}
