package dev.sandglass.ledger;

import dev.sandglass.engine.ledger.Account;
import dev.sandglass.engine.ledger.Spending;
import dev.sandglass.engine.ledger.SpendingLedger;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CredentialBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/** What was used of budgets, in the SQLite file. Thread-safe. */
record SqliteSpendings(Connection writer, Connection reader) implements SpendingLedger {
    /** One that is gone, or whose credential is, has no account. */
    private static final String ADD =
            "INSERT INTO spending (sandbox_id, credential, requests, tokens) SELECT sandbox.id, credential.name, :requests, :tokens FROM sandbox, credential"
                    + " WHERE sandbox.id = :sandbox AND state <> 'destroyed' AND credential.name = :credential"
                    + " ON CONFLICT (sandbox_id, credential) DO UPDATE SET requests = requests + :requests, tokens = MIN(tokens + :tokens, 9000000000000000000)";

    @Override
    public Optional<Spending> request(SandboxId sandbox, Map<String, CredentialBudget> budgets) {
        return writer.transactUnsynced(handle -> {
            for (Map.Entry<String, CredentialBudget> each : budgets.entrySet()) {
                Optional<Spending> used = find(handle, new Account(sandbox, each.getKey())).filter(spending -> isUsedUp(spending, each.getValue()));
                if (used.isPresent()) {
                    return used;
                }
            }
            budgets.keySet().forEach(credential -> handle.createUpdate(ADD)
                    .bind("sandbox", sandbox.text())
                    .bind("credential", credential)
                    .bind("requests", 1)
                    .bind("tokens", 0)
                    .execute());
            return Optional.empty();
        });
    }

    private static boolean isUsedUp(Spending spending, CredentialBudget budget) {
        return reaches(spending.requests(), budget.requests()) || reaches(spending.tokens(), budget.tokens());
    }

    private static boolean reaches(long used, @Nullable Long most) {
        return most != null && used >= most;
    }

    @Override
    public void add(Map<Account, Long> tokens) {
        writer.transactUnsynced(handle -> {
            try (PreparedBatch batch = handle.prepareBatch(ADD)) {
                tokens.forEach((account, count) ->
                        batch.bind("sandbox", account.sandbox().text()).bind("credential", account.credential()).bind("requests", 0).bind("tokens", Math.min(count, 1L << 60)).add());
                return batch.execute().length;
            }
        });
    }

    @Override
    public List<Spending> all() {
        return reader.transact(handle -> handle.createQuery("SELECT sandbox_id, credential, requests, tokens FROM spending ORDER BY sandbox_id, credential")
                .map((row, _) -> new Spending(new Account(new SandboxId(row.getString("sandbox_id")), row.getString("credential")), row.getLong("requests"), row.getLong("tokens")))
                .list());
    }

    private static Optional<Spending> find(Handle handle, Account account) {
        return handle.createQuery("SELECT requests, tokens FROM spending WHERE sandbox_id = ? AND credential = ?")
                .bind(0, account.sandbox().text())
                .bind(1, account.credential())
                .map((row, _) -> new Spending(account, row.getLong("requests"), row.getLong("tokens")))
                .findOne();
    }

    @Override
    public void reset(Account account) {
        writer.transact(handle -> handle.execute("DELETE FROM spending WHERE sandbox_id = ? AND credential = ?", account.sandbox().text(), account.credential()));
    }

    static void forget(Handle handle, SandboxId sandbox) {
        handle.execute("DELETE FROM spending WHERE sandbox_id = ?", sandbox.text());
    }

    static void forget(Handle handle, String credential) {
        handle.execute("DELETE FROM spending WHERE credential = ?", credential);
    }
}
