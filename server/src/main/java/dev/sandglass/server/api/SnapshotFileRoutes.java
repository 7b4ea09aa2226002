package dev.sandglass.server.api;

import dev.sandglass.engine.snapshot.Archives;
import dev.sandglass.engine.snapshot.Export;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;

/** Snapshots as files over HTTP. */
final class SnapshotFileRoutes {
    private final Archives archives;

    SnapshotFileRoutes(Archives archives) {
        this.archives = archives;
    }

    Map<String, Handler> handlers() {
        return Map.of("exportSnapshot", this::export, "archiveSnapshot", this::archive, "importSnapshot", this::read);
    }

    private void export(Exchange exchange) throws IOException, InterruptedException {
        boolean thin = exchange.query().flag("thin");
        try (Export export = exchange.awaitForClient(() -> archives.export(exchange.segment("snapshot"), thin, exchange::clientLeft))) {
            export.writeTo(exchange.stream("application/octet-stream", OptionalLong.empty()));
        }
    }

    private void archive(Exchange exchange) throws IOException {
        exchange.answer(200, archives.write(exchange.segment("snapshot"), exchange.query().flag("thin")));
    }

    private void read(Exchange exchange) throws IOException {
        exchange.answer(201, archives.read(exchange.body(), exchange.query().optionalText("name")));
    }
}
