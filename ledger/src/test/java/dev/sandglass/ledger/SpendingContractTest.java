package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.Account;
import dev.sandglass.engine.ledger.CredentialRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.ledger.Spending;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.CredentialBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of what was used of budgets. */
abstract class SpendingContractTest extends LedgerFixture {
    private final SandboxRecord box = record("sbx-aaaaaaaaaaaa", "one");
    private final Account account = new Account(box.id(), "a");
    private final Account other = new Account(box.id(), "b");

    @BeforeEach
    void keep() {
        for (String name : List.of("a", "b")) {
            ledger.credentials().insert(new CredentialRecord(name, "{}", "c2VhbGVk"));
        }
        ledger.insert(box);
    }

    private Optional<Spending> request(Map<String, CredentialBudget> budgets) {
        return ledger.spendings().request(box.id(), budgets);
    }

    private static CredentialBudget requests(long most) {
        return new CredentialBudget(most, null);
    }

    @Test
    void soManyRequestsAndNoMoreAlsoForTheNextDaemon() {
        assertThat(request(Map.of("a", requests(2)))).isEmpty();
        ledger.close();
        ledger = open();
        assertThat(request(Map.of("a", requests(2)))).isEmpty();
        assertThat(request(Map.of("a", requests(2)))).contains(new Spending(account, 2, 0));
        assertThat(request(Map.of("a", requests(3)))).as("of a larger budget").isEmpty();
        assertThat(ledger.spendings().all()).containsExactly(new Spending(account, 3, 0));
    }

    @Test
    void ofSeveralBudgetsAllCountOrNone() {
        assertThat(request(Map.of("b", requests(1)))).isEmpty();
        assertThat(request(Map.of("a", requests(5), "b", requests(1)))).contains(new Spending(other, 1, 0));
        assertThat(ledger.spendings().all()).containsExactly(new Spending(other, 1, 0));
        assertThat(request(Map.of("a", requests(5), "b", requests(2)))).isEmpty();
        assertThat(ledger.spendings().all()).containsExactly(new Spending(account, 1, 0), new Spending(other, 2, 0));
    }

    @Test
    void tokensAreAddedAndNeverOverflow() {
        CredentialBudget budget = new CredentialBudget(null, 100L);
        ledger.spendings().add(Map.of(account, 99L));
        assertThat(request(Map.of("a", budget))).isEmpty();
        ledger.spendings().add(Map.of(account, 1L, other, 7L));
        assertThat(request(Map.of("a", budget))).contains(new Spending(account, 1, 100));
        for (int i = 0; i < 20; i++) {
            ledger.spendings().add(Map.of(account, Long.MAX_VALUE));
        }
        assertThat(ledger.spendings().all().getFirst().tokens()).isGreaterThan(1L << 62);
        ledger.spendings().reset(account);
        assertThat(ledger.spendings().all()).containsExactly(new Spending(other, 0, 7));
    }

    @Test
    void noNumberOfRequestsAtOnceGetsPastTheBound() throws InterruptedException {
        AtomicInteger passed = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            threads.add(Thread.startVirtualThread(() -> {
                if (request(Map.of("a", requests(20))).isEmpty()) {
                    passed.incrementAndGet();
                }
            }));
        }
        for (Thread each : threads) {
            each.join();
        }
        assertThat(passed).hasValue(20);
    }

    @Test
    void theyGoWithTheCredentialAndWithTheSandbox() {
        SandboxRecord trusted = box.entrusted(Set.of("b"));
        ledger.update(trusted);
        request(Map.of("a", requests(5), "b", requests(5)));
        ledger.credentials().remove("a");
        assertThat(ledger.spendings().all()).containsExactly(new Spending(other, 1, 0));
        ledger.spendings().add(Map.of(account, 5L));
        assertThat(ledger.spendings().all()).as("nobody has that one").hasSize(1);
        ledger.update(trusted.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        assertThat(ledger.spendings().all()).isEmpty();
        ledger.spendings().add(Map.of(other, 5L));
        assertThat(ledger.spendings().all()).isEmpty();
    }
}
