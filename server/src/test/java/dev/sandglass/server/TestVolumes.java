package dev.sandglass.server;

import dev.sandglass.wire.CopyVolume;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.VolumeList;
import dev.sandglass.wire.VolumeMount;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The volumes of a daemon, for tests. */
record TestVolumes(Caller caller) {
    private static final String VOLUMES = "/v1/volumes";

    Volume create(String name, long megabytes) {
        return caller.post(VOLUMES, new CreateVolume(name, megabytes, Map.of())).as(Volume.class);
    }

    Volume get(String ref) {
        return caller.get(VOLUMES + "/" + ref).as(Volume.class);
    }

    List<Volume> all() {
        return caller.get(VOLUMES).as(VolumeList.class).volumes();
    }

    Volume snapshot(String ref, @Nullable String name) {
        return caller.post(VOLUMES + "/" + ref + "/snapshot", new CopyVolume(name, null)).as(Volume.class);
    }

    Volume fork(String ref, @Nullable String name) {
        return caller.post(VOLUMES + "/" + ref + "/fork", new CopyVolume(name, null)).as(Volume.class);
    }

    void delete(String ref) {
        caller.good(caller.delete(VOLUMES + "/" + ref));
    }

    Sandbox attach(TestSandbox box, String volume, String path, @Nullable String mode) {
        return caller.post(box.path() + "/volumes", new VolumeMount(volume, path, mode)).as(Sandbox.class);
    }

    Sandbox detach(TestSandbox box, String volume) {
        return caller.delete(box.path() + "/volumes/" + volume).as(Sandbox.class);
    }

    void removeAll() {
        all().forEach(volume -> delete(volume.id()));
    }
}
