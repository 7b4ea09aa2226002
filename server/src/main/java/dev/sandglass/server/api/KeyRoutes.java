package dev.sandglass.server.api;

import dev.sandglass.engine.apikey.ApiKeys;
import dev.sandglass.server.http.Exchange;
import dev.sandglass.server.http.Handler;
import dev.sandglass.wire.ApiKeyList;
import dev.sandglass.wire.CreateApiKey;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.Map;

/** Keys of the API over HTTP. They are for the owner to make and to revoke: one that leaked makes no others, and keeps none from being revoked. */
final class KeyRoutes {
    private final ApiKeys keys;

    KeyRoutes(ApiKeys keys) {
        this.keys = keys;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "listKeys", exchange -> exchange.answer(200, new ApiKeyList(keys.list())),
                "createKey", this::create,
                "revokeKey", this::revoke);
    }

    private void create(Exchange exchange) throws IOException {
        requireOwner(exchange);
        exchange.answer(201, keys.create(exchange.json(CreateApiKey.class)));
    }

    private void revoke(Exchange exchange) throws IOException {
        requireOwner(exchange);
        keys.revoke(exchange.segment("key"));
        exchange.answerNothing();
    }

    private static void requireOwner(Exchange exchange) {
        if (!exchange.isOwners()) {
            throw new SandglassException(
                    ErrorCode.OWNER_ONLY, "A key makes and revokes no keys.", "Do it with the token of the daemon, on its machine: unset SANDGLASS_API_KEY there.");
        }
    }
}
