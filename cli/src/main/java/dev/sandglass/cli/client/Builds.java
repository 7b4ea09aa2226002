package dev.sandglass.cli.client;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.Provision;

/** What clients do with components and builds. */
public record Builds(Client client) {
    public ComponentList components() {
        return client.ask(ComponentList.class, "GET", Query.of("v1", "components"), null);
    }

    public Component component(String name) {
        return client.ask(Component.class, "GET", Query.of("v1", "components", name), null);
    }

    /** Begins to install components in a sandbox. */
    public Build provision(String sandbox, Provision request) {
        return client.ask(Build.class, "POST", Query.of("v1", "sandboxes", sandbox, "provision"), Client.json(request));
    }

    public Build get(String build) {
        return client.ask(Build.class, "GET", Query.of("v1", "builds", build), null);
    }

    /** A build as it goes on, to its end. */
    public ServerEvents follow(String build) {
        return client.follow(Query.of("v1", "builds", build));
    }
}
