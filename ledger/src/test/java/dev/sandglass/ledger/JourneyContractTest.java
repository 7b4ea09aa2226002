package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.JourneyLedger;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.network.Attempt;
import dev.sandglass.engine.network.HostName;
import dev.sandglass.engine.network.Journey;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.engine.network.Verdict;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.NetworkAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of what sandboxes tried to reach. */
abstract class JourneyContractTest extends LedgerFixture {
    private final SandboxRecord box = record("sbx-aaaaaaaaaaaa", "one");
    private final SandboxRecord other = record("sbx-bbbbbbbbbbbb", "two");

    private static Journey to(SandboxRecord box, String name) {
        Attempt attempt = Attempt.to(new HostName(name)).on(443);
        return new Journey(
                box.id(), Instant.ofEpochMilli(1), attempt, Verdict.DENY, "otherwise deny", Optional.of(Rule.parse("allow " + name + ":443")), OptionalInt.empty(), 3, 4, Duration.ofMillis(5));
    }

    private List<String> names(SandboxRecord of, long after) {
        return ledger.journeys().read(of.id(), after, 10_000).attempts().stream().map(attempt -> String.valueOf(attempt.name())).toList();
    }

    @Test
    void whatWasTriedIsThereForTheNextDaemon() {
        ledger.insert(box);
        ledger.insert(other);
        ledger.journeys().add(List.of(to(box, "a.example.org"), to(other, "b.example.org"), to(box, "c.example.org")));
        ledger.close();
        ledger = open();
        List<NetworkAttempt> attempts = ledger.journeys().read(box.id(), 0, 10).attempts();
        assertThat(attempts.getFirst()).isEqualTo(to(box, "a.example.org").toWire().numbered(attempts.getFirst().id()));
        assertThat(names(box, attempts.getFirst().id())).containsExactly("c.example.org");
        assertThat(names(other, 0)).containsExactly("b.example.org");
    }

    @Test
    void oneThatTriesOftenLosesItsOwnOldestAndIsToldSo() {
        ledger.insert(box);
        ledger.insert(other);
        ledger.journeys().add(List.of(to(other, "b.example.org"), to(box, "first.example.org")));
        long first = ledger.journeys().read(box.id(), 0, 1).attempts().getFirst().id();
        assertThat(ledger.journeys().read(box.id(), first, 1).gap()).isFalse();
        ledger.journeys().add(IntStream.range(0, 1001).mapToObj(i -> to(box, "n" + i + ".example.org")).toList());
        JourneyLedger.Page page = ledger.journeys().read(box.id(), first, 10_000);
        assertThat(page.attempts()).hasSize(1000).first().extracting(NetworkAttempt::name).isEqualTo("n1.example.org");
        assertThat(page.gap()).isTrue();
        assertThat(ledger.journeys().read(box.id(), page.attempts().get(500).id(), 1).gap()).isFalse();
        assertThat(names(other, 0)).containsExactly("b.example.org");
    }

    @Test
    void nothingIsKeptOfOneThatIsGone() {
        ledger.insert(box);
        ledger.journeys().add(List.of(to(box, "a.example.org")));
        ledger.update(box.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        ledger.journeys().add(List.of(to(box, "late.example.org")));
        assertThat(names(box, 0)).isEmpty();
    }
}
