package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandglass.engine.ledger.CredentialLedger;
import dev.sandglass.engine.ledger.CredentialRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of credentials and of who has them. */
abstract class CredentialContractTest extends LedgerFixture {
    private final SandboxRecord box = record("sbx-aaaaaaaaaaaa", "one");

    private static CredentialRecord credential(String name) {
        return new CredentialRecord(name, "{\"name\":\"" + name + "\"}", "c2VhbGVk");
    }

    private static void refused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SandglassException.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        ledger.credentials().insert(credential("b"));
        ledger.credentials().insert(credential("a"));
        CredentialRecord rotated = new CredentialRecord("b", "{ \"name\" : \"b\" }", "YW5vdGhlcg==");
        ledger.credentials().replace(rotated);
        ledger.close();
        ledger = open();
        assertThat(ledger.credentials().all()).containsExactly(credential("a"), rotated);
        ledger.credentials().require(Set.of("a", "b"));
    }

    @Test
    void whatIsNotThereAndWhatIsThereAlreadyIsSaid() {
        ledger.credentials().insert(credential("a"));
        refused(ErrorCode.NAME_TAKEN, () -> ledger.credentials().insert(credential("a")));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> ledger.credentials().replace(credential("b")));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> ledger.credentials().remove("b"));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> ledger.credentials().require(Set.of("a", "b")));
    }

    @Test
    void soManyAreKeptAndNoMore() {
        for (int i = 0; i < CredentialLedger.MOST; i++) {
            ledger.credentials().insert(credential("c" + i));
        }
        refused(ErrorCode.LIMIT_REACHED, () -> ledger.credentials().insert(credential("more")));
        assertThat(ledger.credentials().remove("c0")).isEmpty();
        ledger.credentials().insert(credential("more"));
    }

    @Test
    void noSandboxHasOneThatIsNotThere() {
        ledger.credentials().insert(credential("a"));
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> ledger.insert(box.entrusted(Set.of("gone"))));
        ledger.insert(box);
        refused(ErrorCode.CREDENTIAL_NOT_FOUND, () -> ledger.update(box.entrusted(Set.of("a", "gone"))));
        SandboxRecord trusted = box.entrusted(Set.of("a"));
        ledger.update(trusted);
        assertThat(ledger.find(box.id())).contains(trusted);

        assertThat(ledger.credentials().remove("a")).as("who has it").containsExactly(box.id());
        assertThat(ledger.credentials().all()).as("it stays as long as one has it").hasSize(1);
        ledger.update(trusted.entrusted(Set.of()));
        assertThat(ledger.credentials().remove("a")).isEmpty();
        assertThat(ledger.credentials().all()).isEmpty();
    }

    @Test
    void oneThatIsDestroyedHasNone() {
        ledger.credentials().insert(credential("a"));
        ledger.insert(box);
        SandboxRecord trusted = box.entrusted(Set.of("a"));
        ledger.update(trusted);
        SandboxRecord gone = trusted.in(new SandboxState.Destroyed(Optional.of(Cause.API)));
        assertThat(gone.credentials()).isEmpty();
        ledger.update(gone);
        assertThat(ledger.credentials().remove("a")).isEmpty();
    }
}
