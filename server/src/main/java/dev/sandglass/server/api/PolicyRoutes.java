package dev.sandglass.server.api;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.engine.network.Policy;
import dev.sandglass.engine.network.Rule;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.NetworkPolicy;
import dev.sandglass.wire.PolicyRule;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** What sandboxes may reach, seen and changed while they run. */
final class PolicyRoutes {
    private final Sandboxes sandboxes;

    PolicyRoutes(Sandboxes sandboxes) {
        this.sandboxes = sandboxes;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "getPolicy", exchange -> exchange.answer(200, sandboxes.policy(exchange.segment("sandbox")).toWire()),
                "setPolicy", this::set,
                "addPolicyRule", this::add);
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
