package dev.sandglass.server.api;

import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.Files;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.volume.VolumeFiles;
import dev.sandglass.engine.volume.VolumeListing;
import dev.sandglass.engine.volume.Volumes;
import dev.sandglass.server.http.Download;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Query;
import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.VolumeMount;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.OptionalLong;

/** Volumes over HTTP. */
final class VolumeRoutes {
    private final Volumes volumes;
    private final VolumeFiles inside;
    private final Sandboxes sandboxes;
    private final Files files;

    VolumeRoutes(Volumes volumes, VolumeFiles inside, Sandboxes sandboxes, Files files) {
        this.volumes = volumes;
        this.inside = inside;
        this.sandboxes = sandboxes;
        this.files = files;
    }

    Map<String, Handler> handlers() {
        return Map.ofEntries(
                Map.entry("listVolumes", exchange -> exchange.answer(200, volumes.list(listing(exchange.query())))),
                Map.entry("createVolume", exchange -> exchange.answer(201, volumes.create(exchange.json(CreateVolume.class)))),
                Map.entry("getVolume", exchange -> exchange.answer(200, volumes.get(volume(exchange)))),
                Map.entry("deleteVolume", this::delete),
                Map.entry("snapshotVolume", exchange -> exchange.answer(201, volumes.snapshot(volume(exchange), exchange.json(CopyVolume.class)))),
                Map.entry("forkVolume", exchange -> exchange.answer(201, volumes.fork(volume(exchange), exchange.json(CopyVolume.class)))),
                Map.entry("readVolumeFile", this::read),
                Map.entry("writeVolumeFile", this::write),
                Map.entry("statVolumeFile", this::stat),
                Map.entry("readVolumeArchive", this::pack),
                Map.entry("writeVolumeArchive", this::unpack),
                Map.entry("attachVolume", exchange -> exchange.answer(200, sandboxes.attach(exchange.segment("sandbox"), exchange.json(VolumeMount.class)))),
                Map.entry("detachVolume", exchange -> exchange.answer(200, sandboxes.detach(exchange.segment("sandbox"), volume(exchange)))));
    }

    private static String volume(Exchange exchange) {
        return exchange.segment("volume");
    }

    private static VolumeListing listing(Query query) {
        return new VolumeListing(SandboxRoutes.labels(query), (int) query.number("limit").orElseThrow(), query.optionalText("cursor"));
    }

    private void delete(Exchange exchange) throws IOException {
        volumes.delete(volume(exchange));
        exchange.answerNothing();
    }

    private void read(Exchange exchange) throws IOException {
        inside.read(volume(exchange), exchange.query().text("path"), place -> {
            try (FileContent content = files.read(place, 0, OptionalLong.empty())) {
                Download.send(length -> exchange.stream("application/octet-stream", length), content.bytes(), content.length());
            }
            return true;
        });
    }

    private void write(Exchange exchange) throws IOException {
        Query query = exchange.query();
        exchange.answer(200, inside.write(volume(exchange), query.text("path"), place ->
                files.write(place, query.octal("mode"), query.time("modified_at"), exchange.body())));
    }

    private void stat(Exchange exchange) throws IOException {
        boolean follow = exchange.query().flag("follow");
        exchange.answer(200, inside.read(volume(exchange), exchange.query().text("path"), place -> files.stat(place, follow)));
    }

    private void pack(Exchange exchange) throws IOException {
        inside.read(volume(exchange), exchange.query().text("path"), place -> {
            try (InputStream archive = files.pack(place, exchange.query().flag("content"))) {
                Download.send(length -> exchange.stream("application/x-tar", length), archive, Download.UNKNOWN_LENGTH);
            }
            return true;
        });
    }

    private void unpack(Exchange exchange) throws IOException {
        boolean keepIds = exchange.query().flag("keep_ids");
        exchange.answer(200, inside.write(volume(exchange), exchange.query().text("path"), place -> files.unpack(place, keepIds, exchange.body())));
    }
}
