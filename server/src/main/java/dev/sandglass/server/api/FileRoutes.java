package dev.sandglass.server.api;

import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.file.Location;
import dev.sandglass.engine.file.Watch;
import dev.sandglass.server.http.EventStream;
import dev.sandglass.server.http.Download;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Query;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.WatchEvent;
import java.io.IOException;
import java.util.Map;

/** The files of a sandbox over HTTP. */
final class FileRoutes {
    private final Files files;

    FileRoutes(Files files) {
        this.files = files;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "readFile", this::read,
                "writeFile", this::write,
                "removeFile", this::remove,
                "statFile", exchange -> exchange.answer(200, files.stat(location(exchange), exchange.query().flag("follow"))),
                "listFiles", this::list,
                "makeDirectory", this::makeDirectory,
                "moveFile", exchange -> exchange.answer(200, files.move(location(exchange), exchange.query().text("to"))),
                "getAttributes", exchange -> exchange.answer(200, files.attributes(location(exchange))),
                "setAttributes", this::setAttributes,
                "watchFiles", this::watch);
    }

    static Location location(Exchange exchange) {
        Query query = exchange.query();
        return new Location(exchange.segment("sandbox"), query.text("path"), query.optionalText("user"));
    }

    private void read(Exchange exchange) throws IOException {
        Query query = exchange.query();
        try (FileContent content = files.read(location(exchange), query.number("offset").orElse(0), query.number("length"))) {
            Download.send(length -> exchange.stream("application/octet-stream", length), content.bytes(), content.length());
        }
    }

    private void write(Exchange exchange) throws IOException {
        Query query = exchange.query();
        exchange.answer(200, files.write(location(exchange), query.octal("mode"), query.time("modified_at"), exchange.body()));
    }

    private void remove(Exchange exchange) throws IOException {
        files.remove(location(exchange), exchange.query().flag("recursive"));
        exchange.answerNothing();
    }

    private void list(Exchange exchange) throws IOException {
        exchange.answer(200, files.list(location(exchange), (int) exchange.query().number("depth").orElse(1)));
    }

    private void makeDirectory(Exchange exchange) throws IOException {
        exchange.answer(200, files.makeDirectory(location(exchange), exchange.query().octal("mode")));
    }

    private void setAttributes(Exchange exchange) throws IOException {
        exchange.answer(200, files.setAttributes(location(exchange), exchange.json(SetAttributes.class)));
    }

    private void watch(Exchange exchange) throws IOException, InterruptedException {
        try (Watch watch = files.watch(location(exchange), exchange.query().flag("recursive"))) {
            WatchEvent ready = exchange.await(watch::next); // before an answer is begun: what keeps it from being watched is one of its own
            EventStream events = exchange.events();
            for (WatchEvent event = ready; ; event = exchange.await(watch::next)) {
                events.send(event);
            }
        }
    }
}
