package dev.sandglass.ledger;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Brings a database to the newest schema; each step is one transaction together with the note that it was done. */
final class Migrations {
    private static final List<String> STEPS = List.of("001-sandboxes.sql", "002-order.sql", "003-events.sql", "004-idempotency.sql", "005-operations.sql", "006-command-keys.sql", "007-snapshots.sql", "008-purposes.sql", "009-unconfirmed.sql", "010-keys.sql", "011-journeys.sql", "013-credentials.sql", "014-routes.sql", "015-budgets.sql", "016-volumes.sql", "017-images.sql", "018-templates.sql", "019-ready.sql", "020-api-keys.sql", "021-tags.sql");

    private Migrations() {}

    /** How many steps the database has behind it; none if it is new. */
    static int done(Handle handle) {
        boolean isNew = handle.createQuery("SELECT COUNT(*) FROM sqlite_master WHERE name = 'schema_step'").mapTo(Integer.class).one() == 0;
        return isNew ? 0 : handle.createQuery("SELECT COALESCE(MAX(step), 0) FROM schema_step").mapTo(Integer.class).one();
    }

    static boolean isOld(int done) {
        return done < STEPS.size();
    }

    static void run(Handle handle) {
        handle.execute("CREATE TABLE IF NOT EXISTS schema_step (step BIGINT PRIMARY KEY, name TEXT NOT NULL)");
        int done = done(handle);
        if (done > STEPS.size()) {
            throw new SandglassException(
                    ErrorCode.LEDGER_FAILED,
                    "The ledger has schema " + done + ", this program knows " + STEPS.size() + ".",
                    "It was written by a newer Sandglass: use that one.");
        }
        for (int step = done + 1; step <= STEPS.size(); step++) {
            String name = STEPS.get(step - 1);
            int number = step;
            handle.useTransaction(transaction -> {
                transaction.createScript(read(name)).execute();
                transaction.execute("INSERT INTO schema_step (step, name) VALUES (?, ?)", number, name);
            });
        }
    }

    private static String read(String name) {
        try (InputStream script = Migrations.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new AssertionError("no migration " + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
