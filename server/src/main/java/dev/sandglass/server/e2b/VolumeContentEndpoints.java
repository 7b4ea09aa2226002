package dev.sandglass.server.e2b;

import dev.sandglass.engine.Engine;
import dev.sandglass.engine.file.FileContent;
import dev.sandglass.engine.file.Location;
import dev.sandglass.server.e2b.json.VolumeChange;
import dev.sandglass.server.e2b.json.VolumeEntry;
import dev.sandglass.server.e2b.sandbox.Access;
import dev.sandglass.server.http.Call;
import dev.sandglass.wire.Entry;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.SetAttributes;
import dev.sandglass.wire.Volume;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The files of volumes, for who has the token of one. Thread-safe. */
final class VolumeContentEndpoints {
    private static final String BEARER = "Bearer ";
    private static final int PERMISSIONS = 07777;
    private static final int BUFFER = 1 << 16;

    private final Engine engine;
    private final Access access;

    VolumeContentEndpoints(Engine engine, Access access) {
        this.engine = engine;
        this.access = access;
    }

    List<Endpoint> all() {
        return List.of(
                endpoint("GET", "dir", this::list),
                endpoint("POST", "dir", this::makeDirectory),
                endpoint("GET", "path", this::stat),
                endpoint("PATCH", "path", this::change),
                endpoint("DELETE", "path", this::remove),
                endpoint("GET", "file", this::read),
                endpoint("PUT", "file", this::write));
    }

    /** What is done at a path of a volume. */
    private interface Work {
        void at(Call call, String volume, String path) throws IOException;
    }

    private Endpoint endpoint(String method, String what, Work work) {
        return Endpoint.of(method, "/volumecontent/{volume}/" + what, (call, volume) -> {
            String path = call.query("path").orElse("/");
            work.at(call, let(call, volume).id(), path);
        }).opened();
    }

    private Volume let(Call call, String volume) {
        boolean known = call.header("Authorization")
                .filter(value -> value.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .filter(value -> access.admitsVolume(volume, value.substring(BEARER.length()).strip()))
                .isPresent();
        if (!known) {
            throw new SandglassException(ErrorCode.UNAUTHORIZED, "The token of the volume is missing or wrong.", "");
        }
        return VolumeEndpoints.found(engine, volume);
    }

    private void list(Call call, String volume, String path) throws IOException {
        int depth = Math.max(1, (int) number(call, "depth").orElse(1));
        List<VolumeEntry> entries = engine.volumeFiles().read(volume, path, place -> engine.files().list(place, depth).entries().stream().map(entry -> shown(entry, below(path, entry.path()))).toList());
        call.answer(200, JsonList.json(entries));
    }

    private void makeDirectory(Call call, String volume, String path) throws IOException {
        boolean force = call.query("force").filter("true"::equals).isPresent();
        VolumeEntry made = engine.volumeFiles().write(volume, path, place -> {
            requireParent(place, force);
            return shown(owned(place, call, engine.files().makeDirectory(place, mode(call))), path);
        });
        call.answer(201, made);
    }

    private void stat(Call call, String volume, String path) throws IOException {
        call.answer(200, engine.volumeFiles().read(volume, path, place -> shown(engine.files().stat(place, false), path)));
    }

    private void change(Call call, String volume, String path) throws IOException {
        VolumeChange wish = ControlPlane.read(call, VolumeChange.class);
        call.answer(200, engine.volumeFiles().write(volume, path, place -> shown(engine.files().setAttributes(place, attributes(wish.uid(), wish.gid(), wish.mode())), path)));
    }

    private void remove(Call call, String volume, String path) throws IOException {
        engine.volumeFiles().write(volume, path, place -> {
            engine.files().stat(place, false); // one that is not there is told
            engine.files().remove(place, true);
            return true;
        });
        call.answerNothing();
    }

    private void read(Call call, String volume, String path) throws IOException {
        engine.volumeFiles().read(volume, path, place -> {
            try (FileContent content = engine.files().read(place, 0, OptionalLong.empty()); InputStream bytes = content.bytes()) {
                OutputStream body = call.stream(200, "application/octet-stream", OptionalLong.of(content.length()));
                byte[] buffer = new byte[BUFFER];
                for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
                    body.write(buffer, 0, read);
                }
            }
            return true;
        });
    }

    private void write(Call call, String volume, String path) throws IOException {
        boolean force = call.query("force").filter("true"::equals).isPresent();
        VolumeEntry written = engine.volumeFiles().write(volume, path, place -> {
            requireParent(place, force);
            return shown(owned(place, call, engine.files().write(place, mode(call), Optional.empty(), call.body())), path);
        });
        call.answer(201, written);
    }

    /** Unless it is forced, what is above must be there. */
    private void requireParent(Location place, boolean force) {
        int slash = place.path().lastIndexOf('/');
        if (!force && slash > 0) {
            engine.files().stat(new Location(place.sandbox(), place.path().substring(0, slash), Optional.empty()), true);
        }
    }

    private Entry owned(Location place, Call call, Entry made) {
        OptionalLong uid = number(call, "uid");
        OptionalLong gid = number(call, "gid");
        if (uid.isEmpty() && gid.isEmpty()) {
            return made;
        }
        return engine.files().setAttributes(place, attributes(uid.isPresent() ? uid.getAsLong() : null, gid.isPresent() ? gid.getAsLong() : null, null));
    }

    private static SetAttributes attributes(@Nullable Long uid, @Nullable Long gid, @Nullable Integer mode) {
        return new SetAttributes(mode == null ? null : octal(mode), uid == null ? null : uid.toString(), gid == null ? null : gid.toString(), null, null);
    }

    private static String octal(long mode) {
        return "%04o".formatted(mode & PERMISSIONS);
    }

    private static OptionalInt mode(Call call) {
        OptionalLong mode = number(call, "mode");
        return mode.isPresent() ? OptionalInt.of((int) mode.getAsLong() & PERMISSIONS) : OptionalInt.empty();
    }

    private static OptionalLong number(Call call, String name) {
        Optional<String> text = call.query(name).filter(value -> !value.isEmpty());
        if (text.isPresent() && !text.get().matches("[0-9]{1,10}")) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, name + ": " + Ids.shown(text.get()) + " (expected: a whole number)", "");
        }
        return text.map(value -> OptionalLong.of(Long.parseLong(value))).orElse(OptionalLong.empty());
    }

    private static String below(String directory, String name) {
        return (directory.endsWith("/") ? directory : directory + "/") + name;
    }

    private static VolumeEntry shown(Entry entry, String path) {
        String whole = "/" + path.replaceFirst("^/+", "");
        String type = switch (entry.kind()) {
            case "file", "directory", "symlink" -> entry.kind();
            default -> "unknown";
        };
        return new VolumeEntry(
                whole.equals("/") ? "/" : whole.substring(whole.lastIndexOf('/') + 1),
                type,
                whole,
                entry.size(),
                Integer.parseInt(entry.mode(), 8),
                entry.uid(),
                entry.gid(),
                entry.modifiedAt(),
                entry.modifiedAt(),
                entry.modifiedAt(),
                entry.target());
    }
}
