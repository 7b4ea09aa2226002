package dev.sandglass.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.PortRecord;
import dev.sandglass.engine.ledger.RouteLedger;
import dev.sandglass.engine.ledger.RouteRecord;
import dev.sandglass.engine.ledger.SandboxRecord;
import dev.sandglass.engine.sandbox.Cause;
import dev.sandglass.engine.sandbox.SandboxState;
import dev.sandglass.wire.ErrorCode;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every ledger must hold to of routes and of the sandboxes that have them. */
abstract class RouteContractTest extends LedgerFixture {
    private static final Change CREATED = new Change("route.created", Map.of("route", "web"));
    private static final Change REMOVED = new Change("route.removed", Map.of("route", "web"));

    private final SandboxRecord box = record("sbx-aaaaaaaaaaaa", "one");
    private final SandboxRecord other = record("sbx-bbbbbbbbbbbb", "two");

    @BeforeEach
    void insert() {
        ledger.insert(box);
        ledger.insert(other);
    }

    private static RouteRecord route(SandboxRecord sandbox, String name) {
        return new RouteRecord(sandbox.id(), name, "{\"name\":\"" + name + "\"}", "salt.hash", "generation", Instant.ofEpochMilli(1_700_000_000_123L));
    }

    @Test
    void theyAreThereForTheNextDaemonToTheLetter() {
        ledger.routes().insert(route(other, "a"), CREATED);
        ledger.routes().insert(route(box, "b"), CREATED);
        ledger.routes().insert(route(box, "a"), CREATED);
        RouteRecord unlinked = route(box, "b").generation("another");
        ledger.routes().replace(unlinked);
        PortRecord port = new PortRecord(box.id(), 8080, "second");
        ledger.routes().keep(new PortRecord(box.id(), 8080, "first"));
        ledger.routes().keep(port);
        ledger.close();
        ledger = open();
        assertThat(ledger.routes().all()).containsExactly(route(box, "a"), unlinked, route(other, "a"));
        assertThat(ledger.routes().ports()).containsExactly(port);
    }

    @Test
    void whatIsNotThereAndWhatIsThereAlreadyIsSaid() {
        ledger.routes().insert(route(box, "a"), CREATED);
        ledger.routes().insert(route(other, "a"), CREATED);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.routes().insert(route(box, "a"), CREATED));
        fails(ErrorCode.ROUTE_NOT_FOUND, () -> ledger.routes().replace(route(box, "b")));
        fails(ErrorCode.ROUTE_NOT_FOUND, () -> ledger.routes().remove(box.id(), "b", REMOVED));
        ledger.routes().remove(box.id(), "a", REMOVED);
        fails(ErrorCode.ROUTE_NOT_FOUND, () -> ledger.routes().remove(box.id(), "a", REMOVED));
        assertThat(ledger.routes().all()).containsExactly(route(other, "a"));
    }

    @Test
    void soManyOfOneSandboxAreKeptAndNoMore() {
        for (int i = 0; i < RouteLedger.MOST; i++) {
            ledger.routes().insert(route(box, "r" + i), CREATED);
        }
        fails(ErrorCode.LIMIT_REACHED, () -> ledger.routes().insert(route(box, "more"), CREATED));
        ledger.routes().insert(route(other, "more"), CREATED);
        ledger.routes().remove(box.id(), "r0", REMOVED);
        ledger.routes().insert(route(box, "more"), CREATED);
    }

    @Test
    void whatComesAndGoesIsToldToWhoeverWatches() {
        AtomicInteger told = new AtomicInteger();
        ledger.watch(told::incrementAndGet);
        ledger.routes().insert(route(box, "web"), CREATED);
        fails(ErrorCode.NAME_TAKEN, () -> ledger.routes().insert(route(box, "web"), CREATED));
        ledger.routes().remove(box.id(), "web", REMOVED);
        assertThat(told).hasValue(2);
        assertThat(ledger.events(0, ALL, 100).events())
                .filteredOn(event -> event.type().startsWith("route."))
                .extracting(event -> event.type() + " " + event.sandboxName() + " " + event.data().get("route"))
                .containsExactly("route.created one web", "route.removed one web");
    }

    @Test
    void theyGoWithTheirSandboxAndNoneComesToOneThatGoes() {
        ledger.routes().insert(route(box, "a"), CREATED);
        ledger.routes().insert(route(other, "a"), CREATED);
        ledger.routes().keep(new PortRecord(box.id(), 8080, "word"));
        SandboxRecord going = box.in(new SandboxState.Destroying(Cause.API));
        ledger.update(going);
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.routes().insert(route(box, "b"), CREATED));
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.routes().keep(new PortRecord(box.id(), 81, "word")));
        ledger.update(going.in(new SandboxState.Destroyed(Optional.of(Cause.API))));
        fails(ErrorCode.SANDBOX_NOT_FOUND, () -> ledger.routes().insert(route(box, "b"), CREATED));
        assertThat(ledger.routes().all()).containsExactly(route(other, "a"));
        assertThat(ledger.routes().ports()).isEmpty();
    }
}
