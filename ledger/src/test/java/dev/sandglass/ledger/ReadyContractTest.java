package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.ReadyLedger;
import dev.sandglass.engine.ledger.ReadyRecord;
import dev.sandglass.wire.ErrorCode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of pools of ready sandboxes. */
abstract class ReadyContractTest extends LedgerFixture {
    private static ReadyRecord pool(String name, int least) {
        return new ReadyRecord(name, least, least + 2, Optional.of("echo \u00e9"));
    }

    @Test
    void theyAreThereForTheNextDaemonByName() {
        ledger.ready().put(pool("web", 1));
        ledger.ready().put(new ReadyRecord("bare", 0, 0, Optional.empty()));
        ledger.close();
        ledger = open();
        assertThat(ledger.ready().all()).containsExactly(new ReadyRecord("bare", 0, 0, Optional.empty()), pool("web", 1));
    }

    @Test
    void oneTakesThePlaceOfAnotherOfItsName() {
        ledger.ready().put(pool("web", 1));
        ledger.ready().put(pool("web", 4));
        assertThat(ledger.ready().all()).containsExactly(pool("web", 4));
    }

    @Test
    void oneGoesOnce() {
        ledger.ready().put(pool("web", 1));
        assertThat(ledger.ready().remove("web")).isTrue();
        assertThat(ledger.ready().remove("web")).isFalse();
        assertThat(ledger.ready().all()).isEmpty();
    }

    @Test
    void oneTooManyIsRefusedAndOneThatIsThereCanStillChange() {
        for (int i = 0; i < ReadyLedger.MOST; i++) {
            ledger.ready().put(pool("pool-" + i, 1));
        }
        fails(ErrorCode.LIMIT_REACHED, () -> ledger.ready().put(pool("one-more", 1)));
        ledger.ready().put(pool("pool-7", 3));
        assertThat(ledger.ready().all()).hasSize(ReadyLedger.MOST).contains(pool("pool-7", 3));
    }
}
