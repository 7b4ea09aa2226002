package dev.sandglass.client.daemon;

import dev.sandglass.wire.ApiKey;
import dev.sandglass.wire.ApiKeyList;
import dev.sandglass.wire.CreateApiKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients do with keys of the API. */
public record Keys(Client client) {
    public ApiKey create(@Nullable String name) {
        return client.ask(ApiKey.class, "POST", Query.of("v1", "keys"), Client.json(new CreateApiKey(name)));
    }

    /** All keys, by name, without their texts. */
    public List<ApiKey> list() {
        return client.ask(ApiKeyList.class, "GET", Query.of("v1", "keys"), null).keys();
    }

    public void revoke(String name) {
        client.finish(client.send("DELETE", Query.of("v1", "keys", name), null));
    }
}
