package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.CredentialLedger;
import dev.sandglass.engine.ledger.CredentialRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Credentials in the SQLite file. Thread-safe. */
record SqliteCredentials(Connection writer, Connection reader) implements CredentialLedger {
    @Override
    public void insert(CredentialRecord credential) {
        writer.transact(handle -> {
            if (isThere(handle, credential.name())) {
                throw new SandglassException(
                        ErrorCode.NAME_TAKEN,
                        "There is a credential with the name " + credential.name() + " already.",
                        "`sandglass credential rotate " + credential.name() + "` gives it another value; else choose another name, or remove it first.");
            }
            if (handle.createQuery("SELECT COUNT(*) FROM credential").mapTo(Integer.class).one() >= MOST) {
                throw new SandglassException(
                        ErrorCode.LIMIT_REACHED, "There are " + MOST + " credentials, and more are not kept.", "Remove one with `sandglass credential rm`.");
            }
            return handle.execute(
                    "INSERT INTO credential (name, description, sealed) VALUES (?, ?, ?)", credential.name(), credential.description(), credential.sealed());
        });
    }

    @Override
    public void replace(CredentialRecord credential) {
        writer.transact(handle -> {
            require(handle, Set.of(credential.name()));
            return handle.execute(
                    "UPDATE credential SET description = ?, sealed = ? WHERE name = ?", credential.description(), credential.sealed(), credential.name());
        });
    }

    @Override
    public List<CredentialRecord> all() {
        return reader.transact(handle -> handle.createQuery("SELECT name, description, sealed FROM credential ORDER BY name")
                .map((row, _) -> new CredentialRecord(row.getString("name"), row.getString("description"), row.getString("sealed")))
                .list());
    }

    @Override
    public void require(Collection<String> names) {
        reader.transact(handle -> {
            require(handle, names);
            return true;
        });
    }

    @Override
    public List<SandboxId> remove(String name) {
        return writer.transact(handle -> {
            require(handle, Set.of(name));
            List<SandboxId> holders = handle.createQuery(
                            "SELECT DISTINCT sandbox.id FROM sandbox, json_each(sandbox.details, '$.credentials') AS one WHERE state <> 'destroyed' AND one.value = ?")
                    .bind(0, name)
                    .mapTo(String.class)
                    .map(SandboxId::new)
                    .list();
            if (holders.isEmpty()) {
                handle.execute("DELETE FROM credential WHERE name = ?", name);
                SqliteSpendings.forget(handle, name);
            }
            return holders;
        });
    }

    /** Throws if one of these is not there: who has the name of one that is gone would have the next of that name. */
    static void require(Handle handle, Collection<String> names) {
        for (String name : names) {
            if (!isThere(handle, name)) {
                throw new SandglassException(
                        ErrorCode.CREDENTIAL_NOT_FOUND, "There is no credential " + name + ".", "`sandglass credential ls` lists those that there are.");
            }
        }
    }

    /** The same of those that a sandbox is to have besides. */
    static void requireNew(Handle handle, SandboxRecord before, SandboxRecord next) {
        Set<String> fresh = new HashSet<>(next.credentials());
        fresh.removeAll(before.credentials());
        require(handle, fresh);
    }

    private static boolean isThere(Handle handle, String name) {
        return handle.createQuery("SELECT COUNT(*) FROM credential WHERE name = ?").bind(0, name).mapTo(Integer.class).one() > 0;
    }
}
