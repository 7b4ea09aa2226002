package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.ApiKeyLedger;
import dev.sandglass.engine.ledger.ApiKeyRecord;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of keys of the API. */
abstract class ApiKeyContractTest extends LedgerFixture {
    private static ApiKeyRecord key(String name) {
        return new ApiKeyRecord(name, "hash of " + name, "89ab", Instant.ofEpochMilli(1_700_000_000_123L));
    }

    @Test
    void theyAreThereForTheNextDaemon() {
        ledger.apiKeys().insert(key("b"));
        ledger.apiKeys().insert(key("a"));
        ledger.close();
        ledger = open();
        assertThat(ledger.apiKeys().all()).containsExactly(key("a"), key("b"));
    }

    @Test
    void oneThatIsRemovedIsGone() {
        ledger.apiKeys().insert(key("a"));
        ledger.apiKeys().remove("a");
        fails(ErrorCode.KEY_NOT_FOUND, () -> ledger.apiKeys().remove("a"));
        ledger.close();
        ledger = open();
        assertThat(ledger.apiKeys().all()).isEmpty();
        ledger.apiKeys().insert(key("a"));
    }

    @Test
    void aNameIsOneKeysAlone() {
        ledger.apiKeys().insert(key("a"));
        fails(ErrorCode.NAME_TAKEN, () -> ledger.apiKeys().insert(new ApiKeyRecord("a", "another", "0000", Instant.EPOCH)));
        assertThat(ledger.apiKeys().all()).containsExactly(key("a"));
    }

    @Test
    void soManyThereAreAndNoMore() {
        for (int i = 0; i < ApiKeyLedger.MOST; i++) {
            ledger.apiKeys().insert(key("k" + i));
        }
        fails(ErrorCode.LIMIT_REACHED, () -> ledger.apiKeys().insert(key("more")));
        ledger.apiKeys().remove("k0");
        ledger.apiKeys().insert(key("more"));
    }
}
