package dev.sandglass.client.daemon;

import dev.sandglass.wire.CreateService;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Service;
import dev.sandglass.wire.ServiceList;
import org.jspecify.annotations.Nullable;

/** What clients do with services of sandboxes. */
public record Services(Client client) {
    public Service create(String sandbox, CreateService request) {
        return client.ask(Service.class, "POST", Query.of("v1", "sandboxes", sandbox, "services"), Client.json(request));
    }

    public ServiceList list(String sandbox) {
        return client.ask(ServiceList.class, "GET", Query.of("v1", "sandboxes", sandbox, "services"), null);
    }

    public Service get(String sandbox, String service) {
        return client.ask(Service.class, "GET", Query.of("v1", "sandboxes", sandbox, "services", service), null);
    }

    /** @param order {@code start}, {@code stop} or {@code restart} */
    public Service order(String sandbox, String service, String order) {
        return client.ask(Service.class, "POST", Query.of("v1", "sandboxes", sandbox, "services", service, order), null);
    }

    public void delete(String sandbox, String service) {
        client.finish(client.send("DELETE", Query.of("v1", "sandboxes", sandbox, "services", service), null));
    }

    /** What is kept of a service's output, its last lines or all, and, if followed, what comes. */
    public Lines<OutputEvent> log(String sandbox, String service, boolean follow, @Nullable Long lines) {
        Query query = Query.of("v1", "sandboxes", sandbox, "services", service, "logs").with("follow", Boolean.toString(follow));
        return client.lines(OutputEvent.class, lines == null ? query : query.with("lines", Long.toString(lines)));
    }
}
