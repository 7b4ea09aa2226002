package dev.sandglass.server.api;

import dev.sandglass.engine.service.Services;
import dev.sandglass.server.http.EventStream;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.Service;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The services of sandboxes over HTTP. */
final class ServiceRoutes {
    private static final int PIECE = 1 << 15;

    private interface Order {
        Service give(String sandbox, String service);
    }

    private final Services services;

    ServiceRoutes(Services services) {
        this.services = services;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listServices", exchange -> exchange.answer(200, services.list(sandbox(exchange))),
                "createService", this::create,
                "getService", exchange -> exchange.answer(200, services.get(sandbox(exchange), service(exchange))),
                "deleteService", this::remove,
                "startService", ordered(services::start),
                "stopService", ordered(services::stop),
                "restartService", ordered(services::restart),
                "readServiceLog", this::log);
    }

    private void create(Exchange exchange) throws IOException, InterruptedException {
        CreateService request = exchange.json(CreateService.class);
        exchange.answer(201, exchange.await(() -> services.create(sandbox(exchange), request)));
    }

    private void remove(Exchange exchange) throws IOException, InterruptedException {
        exchange.await(() -> {
            services.remove(sandbox(exchange), service(exchange));
            return true;
        });
        exchange.answerNothing();
    }

    private static Handler ordered(Order order) {
        return exchange -> exchange.answer(200, exchange.await(() -> order.give(sandbox(exchange), service(exchange))));
    }

    private void log(Exchange exchange) throws IOException, InterruptedException {
        OptionalLong asked = exchange.query().number("lines");
        OptionalInt lines = asked.isPresent() ? OptionalInt.of((int) asked.getAsLong()) : OptionalInt.empty();
        try (InputStream output = services.log(sandbox(exchange), service(exchange), exchange.query().flag("follow"), lines)) {
            EventStream events = exchange.events();
            try {
                send(exchange, output, events);
            } catch (SandglassException lost) {
                events.send(new OutputEvent(null, null, null, null, lost.toProblem(), null));
            }
        }
    }

    private static void send(Exchange exchange, InputStream output, EventStream events) throws IOException, InterruptedException {
        byte[] piece = new byte[PIECE];
        long offset = 0;
        for (int read = exchange.await(() -> output.read(piece)); read >= 0; read = exchange.await(() -> output.read(piece))) {
            String data = Base64.getEncoder().encodeToString(Arrays.copyOf(piece, read));
            events.send(new OutputEvent("stdout", offset, data, null, null, null));
            offset += read;
        }
    }

    private static String sandbox(Exchange exchange) {
        return exchange.segment("sandbox");
    }

    private static String service(Exchange exchange) {
        return exchange.segment("service");
    }
}
