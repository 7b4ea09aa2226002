package dev.sandglass.server.api;

import dev.sandglass.engine.credential.Budgets;
import dev.sandglass.engine.credential.Credential;
import dev.sandglass.engine.credential.Credentials;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.CreateCredential;
import dev.sandglass.wire.CredentialList;
import dev.sandglass.wire.CredentialUsageList;
import dev.sandglass.wire.RotateCredential;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Credentials over HTTP: values come in, and none goes out. */
final class CredentialRoutes {
    private final Credentials credentials;
    private final Budgets budgets;
    private final Sandboxes sandboxes;

    CredentialRoutes(Credentials credentials, Budgets budgets, Sandboxes sandboxes) {
        this.credentials = credentials;
        this.budgets = budgets;
        this.sandboxes = sandboxes;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listCredentials", exchange -> exchange.answer(200, new CredentialList(credentials.list().stream().map(Credential::toWire).toList())),
                "createCredential", exchange -> exchange.answer(201, credentials.create(exchange.json(CreateCredential.class)).toWire()),
                "getCredential", exchange -> exchange.answer(200, credentials.get(name(exchange)).toWire()),
                "rotateCredential", exchange -> exchange.answer(200, credentials.rotate(name(exchange), exchange.json(RotateCredential.class)).toWire()),
                "deleteCredential", this::remove,
                "grantCredential", exchange -> exchange.answer(200, sandboxes.grant(exchange.segment("sandbox"), name(exchange))),
                "revokeCredential", exchange -> exchange.answer(200, sandboxes.revoke(exchange.segment("sandbox"), name(exchange))),
                "listCredentialUsage", exchange -> exchange.answer(200, usage(exchange.query().optionalText("sandbox"))),
                "resetCredentialUsage", exchange -> exchange.answer(200, budgets.reset(exchange.segment("sandbox"), name(exchange))));
    }

    private CredentialUsageList usage(Optional<String> sandbox) {
        return new CredentialUsageList(sandbox.map(budgets::usage).orElseGet(budgets::usage));
    }

    private void remove(Exchange exchange) throws IOException {
        String name = name(exchange);
        credentials.remove(name, sandbox -> sandboxes.revoke(sandbox, name));
        exchange.answerNothing();
    }

    private static String name(Exchange exchange) {
        return exchange.segment("credential");
    }
}
