package dev.sandglass.client.daemon;

import dev.sandglass.wire.Build;
import dev.sandglass.wire.BuildList;
import dev.sandglass.wire.BuildOutput;
import dev.sandglass.wire.Component;
import dev.sandglass.wire.ComponentList;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Provision;
import java.util.List;
import java.util.function.Consumer;

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

    /** The newest about a template, or in a sandbox of that name. */
    public List<Build> about(String subject) {
        return client.ask(BuildList.class, "GET", Query.of("v1", "builds").with("subject", subject), null).builds();
    }

    /**
     * Follows a build, however long it takes, and returns it as it ended.
     *
     * @param changed gets all of it after each change
     * @param printed gets what its steps print
     */
    public Build await(Build begun, Consumer<Build> changed, Consumer<BuildOutput> printed) {
        Build last = begun;
        try (Client patient = client.patient()) {
            ServerEvents events = patient.follow(Query.of("v1", "builds", begun.id()));
            for (ServerEvents.Message message = events.next(); message != null; message = events.next()) {
                if (message.type().equals("build")) {
                    last = Json.read(Build.class, message.data());
                    changed.accept(last);
                } else {
                    printed.accept(Json.read(BuildOutput.class, message.data()));
                }
            }
        }
        return last.endedAt() == null ? get(begun.id()) : last;
    }
}
