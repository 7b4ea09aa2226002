package dev.sandglass.server.api;

import dev.sandglass.engine.operation.Operations;
import dev.sandglass.engine.operation.Progress;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.ServerSentEvents;
import dev.sandglass.wire.ImageInfo;
import dev.sandglass.wire.OperationStatus;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;

/** Work that goes on without its client, over HTTP. */
final class OperationRoutes {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Operations operations;

    OperationRoutes(Operations operations) {
        this.operations = operations;
    }

    Map<String, Handler> handlers() {
        return Map.of("getOperation", this::get, "waitOperation", this::await);
    }

    /** Answers at once that the work has begun. */
    void begin(Exchange exchange, String kind, Callable<Sandbox> work) throws IOException {
        exchange.answer(202, operations.start(kind, work));
    }

    /** The same of work that brings an image. */
    void beginImage(Exchange exchange, String kind, Callable<ImageInfo> work) throws IOException {
        exchange.answer(202, operations.startImage(kind, work));
    }

    /** Answers when the work is done, with its steps; what it failed with is the answer's problem. */
    void trace(Exchange exchange, String kind, Callable<Sandbox> work) throws IOException, InterruptedException {
        String id = operations.start(kind, work).id();
        OperationStatus ended = exchange.await(() -> awaitEnd(id, Duration.ofDays(1)));
        Problem problem = ended.error();
        if (problem != null) {
            throw SandglassException.from(problem);
        }
        exchange.answer(200, ended);
    }

    private void get(Exchange exchange) throws IOException, InterruptedException {
        String id = exchange.segment("operation");
        if (!exchange.accepts("text/event-stream")) {
            exchange.answer(200, operations.get(id));
            return;
        }
        Progress progress = operations.await(id, -1, Duration.ZERO);
        ServerSentEvents stream = exchange.serverSentEvents();
        long sent = -1;
        while (true) {
            if (progress.version() > sent) {
                sent = progress.version();
                stream.send(sent, "operation", progress.status());
            } else {
                stream.comment("still here");
            }
            if (progress.ended()) {
                return;
            }
            long seen = sent;
            progress = exchange.await(() -> operations.await(id, seen, HEARTBEAT));
        }
    }

    private void await(Exchange exchange) throws IOException, InterruptedException {
        Duration timeout = Duration.ofMillis(exchange.query().number("timeout_ms").orElseThrow());
        exchange.answer(200, exchange.await(() -> awaitEnd(exchange.segment("operation"), timeout)));
    }

    private OperationStatus awaitEnd(String id, Duration timeout) throws InterruptedException {
        return operations.await(id, Long.MAX_VALUE, timeout).status();
    }
}
