package dev.sandglass.server.api;

import dev.sandglass.engine.file.Files;
import dev.sandglass.server.http.Download;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Trees of files as tar archives. */
final class ArchiveRoutes {
    private final Files files;

    ArchiveRoutes(Files files) {
        this.files = files;
    }

    Map<String, Handler> handlers() {
        return Map.of("readArchive", this::read, "writeArchive", this::write);
    }

    private void read(Exchange exchange) throws IOException {
        try (InputStream archive = files.pack(FileRoutes.location(exchange), exchange.query().flag("content"))) {
            Download.send(length -> exchange.stream("application/x-tar", length), archive, Download.UNKNOWN_LENGTH);
        }
    }

    private void write(Exchange exchange) throws IOException {
        exchange.answer(
                200, files.unpack(FileRoutes.location(exchange), exchange.query().flag("keep_ids"), exchange.body()));
    }
}
