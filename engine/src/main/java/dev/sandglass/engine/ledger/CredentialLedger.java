package dev.sandglass.engine.ledger;

import dev.sandglass.engine.sandbox.SandboxId;
import java.util.Collection;
import java.util.List;

/** Credentials, with values that the ledger cannot read. It holds that no sandbox has one that is not there. Thread-safe. */
public interface CredentialLedger {
    /** The most that are kept. */
    int MOST = 256;

    /** Adds one; {@code name_taken} if there is one of that name, {@code limit_reached} if there are as many as may be. */
    void insert(CredentialRecord credential);

    /** Puts it in the place of the one of that name; {@code credential_not_found}. */
    void replace(CredentialRecord credential);

    /** All of them, by name. */
    List<CredentialRecord> all();

    /** Throws {@code credential_not_found} if one of these is not there. */
    void require(Collection<String> names);

    /** Removes one, unless sandboxes that are not destroyed have it: these are given back then, and nothing is done. {@code credential_not_found}. */
    List<SandboxId> remove(String name);
}
