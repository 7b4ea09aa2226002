package dev.sandglass.server.api;

import dev.sandglass.engine.snapshot.Snapshots;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.ForkSandbox;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Snapshots over HTTP. */
final class SnapshotRoutes {
    private final Snapshots snapshots;

    SnapshotRoutes(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listSnapshots", this::list,
                "createSnapshot", this::create,
                "forkSandbox", exchange -> exchange.answer(201, snapshots.forkSandbox(exchange.segment("sandbox"), exchange.json(ForkSandbox.class), key(exchange))),
                "forkSnapshot", exchange -> exchange.answer(201, snapshots.forkSnapshot(exchange.segment("snapshot"), exchange.json(ForkSandbox.class), key(exchange))),
                "getSnapshot", exchange -> exchange.answer(200, snapshots.get(exchange.segment("snapshot"))),
                "verifySnapshot", this::verify,
                "deleteSnapshot", this::delete);
    }

    private void list(Exchange exchange) throws IOException {
        exchange.answer(200, snapshots.list(SandboxRoutes.listing(exchange.query())));
    }

    private void create(Exchange exchange) throws IOException {
        exchange.answer(201, snapshots.create(exchange.segment("sandbox"), exchange.json(CreateSnapshot.class), key(exchange)));
    }

    private static Optional<String> key(Exchange exchange) {
        return exchange.header("Idempotency-Key");
    }

    /** Reading everything is worth nothing to somebody who has left. */
    private void verify(Exchange exchange) throws IOException, InterruptedException {
        exchange.answer(200, exchange.awaitForClient(() -> snapshots.verify(exchange.segment("snapshot"), exchange::clientLeft)));
    }

    private void delete(Exchange exchange) throws IOException {
        snapshots.delete(exchange.segment("snapshot"));
        exchange.answerNothing();
    }
}
