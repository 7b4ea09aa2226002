package dev.sandglass.server;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.Status;
import dev.sandglass.wire.UpdateSandbox;
import java.util.List;

/** The sandboxes of a daemon, as a client sees them. */
record Api(Caller caller) {
    Status status() {
        return caller.get("/v1/status").as(Status.class);
    }

    TestSandbox create(SandboxRequest request) {
        return new TestSandbox(caller, create(request.toWire()));
    }

    Sandbox create(CreateSandbox request) {
        return caller.post("/v1/sandboxes", request).as(Sandbox.class);
    }

    Sandbox get(String ref) {
        return caller.get("/v1/sandboxes/" + ref).as(Sandbox.class);
    }

    List<Sandbox> list() {
        return caller.get("/v1/sandboxes").as(SandboxList.class).sandboxes();
    }

    List<String> names() {
        return list().stream().map(Sandbox::name).toList();
    }

    Sandbox stop(String ref) {
        return caller.post("/v1/sandboxes/" + ref + "/stop").as(Sandbox.class);
    }

    Sandbox start(String ref) {
        return caller.post("/v1/sandboxes/" + ref + "/start").as(Sandbox.class);
    }

    Sandbox update(String ref, UpdateSandbox change) {
        return caller.patch("/v1/sandboxes/" + ref, change).as(Sandbox.class);
    }

    void destroy(String ref) {
        caller.delete("/v1/sandboxes/" + ref);
    }
}
