package dev.sandglass.client.daemon;

import dev.sandglass.wire.SandboxPool;
import dev.sandglass.wire.SandboxPoolList;
import dev.sandglass.wire.SetPool;

/** What clients do with pools of ready sandboxes. */
public record Pools(Client client) {
    public SandboxPoolList list() {
        return client.ask(SandboxPoolList.class, "GET", Query.of("v1", "pools"), null);
    }

    public SandboxPool get(String snapshot) {
        return client.ask(SandboxPool.class, "GET", Query.of("v1", "pools", snapshot), null);
    }

    public SandboxPool set(String snapshot, SetPool request) {
        return client.ask(SandboxPool.class, "PUT", Query.of("v1", "pools", snapshot), Client.json(request));
    }

    public void delete(String snapshot) {
        client.finish(client.send("DELETE", Query.of("v1", "pools", snapshot), null));
    }
}
