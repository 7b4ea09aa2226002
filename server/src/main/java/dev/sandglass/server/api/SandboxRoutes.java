package dev.sandglass.server.api;

import dev.sandglass.engine.life.Listing;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.Query;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.PauseSandbox;
import dev.sandglass.wire.RewindSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.UpdateSandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Sandboxes over HTTP. */
final class SandboxRoutes {
    private final Sandboxes sandboxes;
    private final OperationRoutes operations;

    SandboxRoutes(Sandboxes sandboxes, OperationRoutes operations) {
        this.sandboxes = sandboxes;
        this.operations = operations;
    }

    Map<String, Handler> handlers() {
        return Map.ofEntries(
                Map.entry("listSandboxes", exchange -> exchange.answer(200, sandboxes.list(listing(exchange.query())))),
                Map.entry("createSandbox", this::create),
                Map.entry("getSandbox", exchange -> exchange.answer(200, sandboxes.get(exchange.segment("sandbox")))),
                Map.entry("updateSandbox", this::update),
                Map.entry("stopSandbox", this::stop),
                Map.entry("startSandbox", exchange -> exchange.answer(200, sandboxes.start(exchange.segment("sandbox")))),
                Map.entry("pauseSandbox", exchange -> exchange.answer(200, sandboxes.pause(exchange.segment("sandbox"), diskOnly(exchange)))),
                Map.entry("resumeSandbox", exchange -> exchange.answer(200, sandboxes.resume(exchange.segment("sandbox"), diskOnly(exchange)))),
                Map.entry("rewindSandbox", this::rewind),
                Map.entry("refreshSandbox", exchange -> exchange.answer(200, sandboxes.refresh(exchange.segment("sandbox")))),
                Map.entry("destroySandbox", this::destroy));
    }

    private void update(Exchange exchange) throws IOException {
        exchange.answer(200, sandboxes.update(exchange.segment("sandbox"), exchange.json(UpdateSandbox.class)));
    }

    private void stop(Exchange exchange) throws IOException {
        Duration grace = Duration.ofMillis(exchange.query().number("grace_ms").orElseThrow());
        exchange.answer(200, sandboxes.stop(exchange.segment("sandbox"), grace));
    }

    private static boolean diskOnly(Exchange exchange) throws IOException {
        return Boolean.TRUE.equals(exchange.json(PauseSandbox.class).diskOnly());
    }

    private void rewind(Exchange exchange) throws IOException {
        RewindSandbox request = exchange.json(RewindSandbox.class);
        boolean undo = Boolean.TRUE.equals(request.undo());
        if (undo == (request.snapshot() != null)) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "snapshot, undo: both or none are given (expected: one of them)", "Name a snapshot, or set undo.");
        }
        Optional<String> snapshot = Optional.ofNullable(request.snapshot());
        exchange.answer(200, sandboxes.rewind(exchange.segment("sandbox"), snapshot, Boolean.TRUE.equals(request.diskOnly())));
    }

    private void create(Exchange exchange) throws IOException, InterruptedException {
        CreateSandbox request = exchange.json(CreateSandbox.class);
        Optional<String> key = exchange.header("Idempotency-Key");
        Supplier<Sandbox> work = () -> key.isPresent() ? sandboxes.createOnce(request, key.get()) : sandboxes.create(request);
        if (!exchange.query().flag("wait") || exchange.header("Prefer").orElse("").contains("respond-async")) {
            operations.begin(exchange, "create", work::get);
        } else if (exchange.query().flag("trace")) {
            operations.trace(exchange, "create", work::get);
        } else {
            exchange.answer(201, work.get());
        }
    }

    /** Those that a list is asked for. */
    static Map<String, String> labels(Query query) {
        Map<String, String> labels = new HashMap<>();
        for (String label : query.texts("label")) {
            int equals = label.indexOf('=');
            labels.put(label.substring(0, equals), label.substring(equals + 1));
        }
        return labels;
    }

    /** Of sandboxes or of snapshots, which are asked for alike. */
    static Listing listing(Query query) {
        return new Listing(
                Set.copyOf(query.texts("state")),
                query.optionalText("name"),
                query.optionalText("runtime"),
                labels(query),
                query.flag("all"),
                query.optionalText("cursor"),
                (int) query.number("limit").orElseThrow());
    }

    private void destroy(Exchange exchange) throws IOException {
        sandboxes.destroy(exchange.segment("sandbox"));
        exchange.answerNothing();
    }
}
