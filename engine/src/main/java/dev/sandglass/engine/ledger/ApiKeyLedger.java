package dev.sandglass.engine.ledger;

import java.util.List;

/** Keys of the API, by hashes of their texts. Thread-safe. */
public interface ApiKeyLedger {
    /** The most that there are. */
    int MOST = 256;

    /** Adds one; {@code name_taken} if there is one of that name, {@code limit_reached} if there are as many as may be. */
    void insert(ApiKeyRecord key);

    /** All of them, by name. */
    List<ApiKeyRecord> all();

    /** Removes one; {@code key_not_found}. */
    void remove(String name);
}
