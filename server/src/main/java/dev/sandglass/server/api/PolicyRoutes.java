package dev.sandglass.server.api;

import dev.sandglass.engine.event.Journeys;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.server.http.ServerSentEvents;
import dev.sandglass.wire.NetworkAttempt;
import dev.sandglass.wire.NetworkAttemptList;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** What sandboxes may reach, seen and changed while they run. */
final class PolicyRoutes {
    private static final int PAGE = 100;

    private final Sandboxes sandboxes;
    private final Journeys journeys;
    private final Duration heartbeat;

    PolicyRoutes(Sandboxes sandboxes, Journeys journeys, Duration heartbeat) {
        this.sandboxes = sandboxes;
        this.journeys = journeys;
        this.heartbeat = heartbeat;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "getPolicy", exchange -> exchange.answer(200, sandboxes.policy(exchange.segment("sandbox")).toWire()),
                "setPolicy", this::set,
                "addPolicyRule", this::add,
                "listAttempts", this::list);
    }

    private void list(Exchange exchange) throws IOException, InterruptedException {
        String sandbox = exchange.segment("sandbox");
        long after = EventRoutes.after(exchange).orElse(0);
        if (exchange.accepts("text/event-stream")) {
            follow(exchange, sandbox, after);
        } else {
            exchange.answer(200, journeys.page(sandbox, after, (int) exchange.query().number("limit").orElseThrow()));
        }
    }

    private void follow(Exchange exchange, String sandbox, long after) throws IOException, InterruptedException {
        String id = sandboxes.get(sandbox).id(); // its name may become another's
        ServerSentEvents stream = exchange.serverSentEvents();
        stream.begin(after);
        long position = after;
        while (true) {
            long before = position;
            NetworkAttemptList page = exchange.await(() -> journeys.await(id, before, PAGE, heartbeat));
            if (page.gap()) {
                stream.send(before, "gap", new NetworkAttemptList(List.of(), before, true));
            }
            for (NetworkAttempt attempt : page.attempts()) {
                stream.send(attempt.id(), attempt.verdict(), attempt);
            }
            if (page.attempts().isEmpty()) {
                stream.comment("still here");
            }
            position = page.next();
        }
    }

    private void set(Exchange exchange) throws IOException {
        Policy policy = Policy.of(exchange.json(NetworkPolicy.class));
        govern(exchange, _ -> policy);
    }

    private void add(Exchange exchange) throws IOException {
        Rule rule = Rule.parse(exchange.json(PolicyRule.class).rule());
        govern(exchange, policy -> policy.with(rule));
    }

    private void govern(Exchange exchange, UnaryOperator<Policy> change) throws IOException {
        exchange.answer(200, Objects.requireNonNull(sandboxes.govern(exchange.segment("sandbox"), change).network()));
    }
}
