package dev.sandglass.server;

import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.CreateSnapshot;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandboxList;
import dev.sandglass.wire.Snapshot;
import dev.sandglass.wire.SnapshotList;
import dev.sandglass.wire.Status;
import dev.sandglass.wire.UpdateSandbox;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sandboxes and snapshots of a daemon, as a client sees them. */
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

    Snapshot capture(String sandbox, @Nullable String name) {
        CreateSnapshot request = new CreateSnapshot(name, "of a test", Map.of("test", "snapshots"), true, null);
        return caller.post("/v1/sandboxes/" + sandbox + "/snapshots", request).as(Snapshot.class);
    }

    Snapshot captureAll(String sandbox) {
        return caller.post("/v1/sandboxes/" + sandbox + "/snapshots", new CreateSnapshot(null, null, null, null, null)).as(Snapshot.class);
    }

    List<Snapshot> snapshots() {
        return caller.get("/v1/snapshots").as(SnapshotList.class).snapshots();
    }

    /** With those that are kept for sandboxes. */
    List<Snapshot> allSnapshots() {
        return caller.get("/v1/snapshots?all=true").as(SnapshotList.class).snapshots();
    }

    Snapshot verify(String snapshot) {
        return caller.post("/v1/snapshots/" + snapshot + "/verify").as(Snapshot.class);
    }

    void deleteSnapshot(String snapshot) {
        caller.delete("/v1/snapshots/" + snapshot);
    }

    void destroy(String ref) {
        caller.delete("/v1/sandboxes/" + ref);
    }
}
