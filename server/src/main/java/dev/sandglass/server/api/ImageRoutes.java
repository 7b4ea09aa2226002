package dev.sandglass.server.api;

import dev.sandglass.engine.oci.ImageExport;
import dev.sandglass.engine.oci.OciImages;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.PullImage;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;

/** Images from elsewhere over HTTP. */
final class ImageRoutes {
    private final OciImages images;
    private final OperationRoutes operations;

    ImageRoutes(OciImages images, OperationRoutes operations) {
        this.images = images;
        this.operations = operations;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listImages", exchange -> exchange.answer(200, images.list()),
                "getImage", exchange -> exchange.answer(200, images.get(exchange.segment("image"))),
                "deleteImage", this::remove,
                "pullImage", this::pull,
                "importImage", exchange -> exchange.answer(201, images.read(exchange.body(), exchange.query().optionalText("name"))),
                "exportImage", this::export);
    }

    private void pull(Exchange exchange) throws IOException, InterruptedException {
        PullImage request = exchange.json(PullImage.class);
        if (!exchange.query().flag("wait") || exchange.header("Prefer").orElse("").contains("respond-async")) {
            operations.beginImage(exchange, "pull", () -> images.pull(request));
        } else {
            exchange.answer(201, images.pull(request));
        }
    }

    private void remove(Exchange exchange) throws IOException {
        images.remove(exchange.segment("image"));
        exchange.answerNothing();
    }

    private void export(Exchange exchange) throws IOException, InterruptedException {
        String snapshot = exchange.segment("snapshot");
        try (ImageExport export = exchange.awaitForClient(() -> images.export(snapshot, exchange.query().optionalText("name"), exchange::clientLeft))) {
            export.writeTo(exchange.stream("application/x-tar", OptionalLong.empty()));
        }
    }
}
