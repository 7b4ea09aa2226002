package dev.sandglass.client.daemon;

import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.VolumeList;
import dev.sandglass.wire.VolumeMount;
import java.util.ArrayList;
import java.util.List;

/** What clients do with volumes. */
public record Volumes(Client client) {
    private static final String VOLUMES = "volumes";

    public Volume create(CreateVolume request) {
        return client.ask(Volume.class, "POST", Query.of("v1", VOLUMES), Client.json(request));
    }

    /** All of them, oldest first. */
    public List<Volume> list() {
        List<Volume> found = new ArrayList<>();
        String cursor = null;
        do {
            Query query = Query.of("v1", VOLUMES);
            VolumeList page = client.ask(VolumeList.class, "GET", cursor == null ? query : query.with("cursor", cursor), null);
            found.addAll(page.volumes());
            cursor = page.nextCursor();
        } while (cursor != null);
        return found;
    }

    public Volume get(String volume) {
        return client.ask(Volume.class, "GET", Query.of("v1", VOLUMES, volume), null);
    }

    public void delete(String volume) {
        client.finish(client.send("DELETE", Query.of("v1", VOLUMES, volume), null));
    }

    public Volume snapshot(String volume, CopyVolume request) {
        return client.ask(Volume.class, "POST", Query.of("v1", VOLUMES, volume, "snapshot"), Client.json(request));
    }

    public Volume fork(String volume, CopyVolume request) {
        return client.ask(Volume.class, "POST", Query.of("v1", VOLUMES, volume, "fork"), Client.json(request));
    }

    public Sandbox attach(String sandbox, VolumeMount mount) {
        return client.ask(Sandbox.class, "POST", Query.of("v1", "sandboxes", sandbox, VOLUMES), Client.json(mount));
    }

    public Sandbox detach(String sandbox, String volume) {
        return client.ask(Sandbox.class, "DELETE", Query.of("v1", "sandboxes", sandbox, VOLUMES, volume), null);
    }

    /** What is in them. */
    public RemoteFiles files() {
        return new RemoteFiles(client, VOLUMES);
    }
}
