package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.CredentialBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What sandboxes have used by credentials that have budgets. It goes with the sandbox and with the credential, and with nothing else: neither a rewind nor a revocation gives anything back. What is
 * counted survives the daemon; the host may forget the last moment when it goes down. Thread-safe.
 */
public interface SpendingLedger {
    /** Counts a request for all of these credentials of a sandbox; if the budget of one is used up nothing is counted, and what was used of that one is given back. */
    Optional<Spending> request(SandboxId sandbox, Map<String, CredentialBudget> budgets);

    /** Adds tokens. Those of sandboxes and credentials that are gone are left out. */
    void add(Map<Account, Long> tokens);

    /** All that was counted. */
    List<Spending> all();

    /** Begins anew. */
    void reset(Account account);
}
