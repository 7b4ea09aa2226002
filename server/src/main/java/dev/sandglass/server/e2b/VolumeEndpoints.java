package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.sandbox.VolumeId;
import dev.sandglass.engine.volume.VolumeListing;
import dev.sandglass.server.e2b.json.NewVolume;
import dev.sandglass.server.e2b.json.VolumeAccess;
import dev.sandglass.server.e2b.json.VolumeName;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.CreateVolume;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.Volume;
import dev.sandglass.wire.VolumeList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Volumes are made, listed and removed. Thread-safe. */
final class VolumeEndpoints {
    private static final int PAGE = 1000;

    private final Engine engine;
    private final Access access;
    private final Optional<String> domain;

    VolumeEndpoints(Engine engine, Access access, Optional<String> domain) {
        this.engine = engine;
        this.access = access;
        this.domain = domain;
    }

    List<Endpoint> all() {
        return List.of(
                Endpoint.of("GET", "/volumes", (call, _) -> list(call)),
                Endpoint.of("POST", "/volumes", (call, _) -> create(call)),
                Endpoint.of("GET", "/volumes/{volume}", (call, volume) -> call.answer(200, shown(found(engine, volume)))),
                Endpoint.of("DELETE", "/volumes/{volume}", this::remove));
    }

    /** The volume of that id or name; {@code volume_not_found}. */
    static Volume found(Engine engine, String asked) {
        return engine.volumes().get(VolumeId.undashed(asked).map(VolumeId::text).orElse(asked));
    }

    private VolumeAccess shown(Volume volume) {
        String id = Ids.undashed(volume.id());
        return new VolumeAccess(id, volume.name(), access.volumeToken(id), domain.orElse(null));
    }

    private void list(Call call) throws IOException {
        List<VolumeName> all = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        do {
            VolumeList page = engine.volumes().list(new VolumeListing(Map.of(), PAGE, cursor));
            page.volumes().stream().filter(volume -> volume.kind().equals("volume")).forEach(volume -> all.add(new VolumeName(Ids.undashed(volume.id()), volume.name())));
            cursor = Optional.ofNullable(page.nextCursor());
        } while (cursor.isPresent());
        call.answer(200, JsonList.json(all));
    }

    /** Whoever commands run as in a sandbox may write in it. */
    private void create(Call call) throws IOException {
        NewVolume wish = ControlPlane.read(call, NewVolume.class);
        if (wish.name() == null) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "name: nothing (expected: the name of the volume)", "");
        }
        Volume made = engine.volumes().create(new CreateVolume(wish.name(), null, null));
        try {
            engine.volumeFiles().write(made.id(), "/", place -> engine.files().setAttributes(place, new SetAttributes("0777", null, null, null, null)));
        } catch (IOException | RuntimeException problem) {
            engine.volumes().delete(made.id());
            throw problem;
        }
        call.answer(201, shown(made));
    }

    private void remove(Call call, String volume) throws IOException {
        engine.volumes().delete(found(engine, volume).id());
        call.answerNothing();
    }
}
