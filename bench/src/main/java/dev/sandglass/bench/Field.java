package dev.sandglass.bench;

import dev.sandglass.bench.raw.Area;
import dev.sandglass.bench.raw.Engine;
import dev.sandglass.bench.raw.Podman;
import dev.sandglass.bench.raw.RawContender;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.runtime.oci.EngineProgram;
import dev.sandglass.wire.RuntimeStatus;
import dev.sandglass.wire.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All who take part, and the notes on those who cannot. Closing it takes away all that they left. */
final class Field implements AutoCloseable {
    private final List<Contender> contenders = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<String, String> engines = new LinkedHashMap<>();
    private @Nullable Area area;

    /** @param only the only runtime that is wanted; null for all */
    void open(Client client, Status status, Path runDir, @Nullable String only) throws IOException {
        SandglassContender.sweep(client);
        List<RuntimeStatus> wanted = status.runtimes().stream()
                .filter(runtime -> only == null || only.equals(runtime.name()))
                .toList();
        for (RuntimeStatus runtime : wanted) {
            if (runtime.available()) {
                enter(runtime, client, status, runDir);
            } else {
                notes.add("runtime " + runtime.name() + " is skipped: " + runtime.reason());
            }
        }
        if (contenders.isEmpty()) {
            throw new IOException("There is no runtime to measure" + (only == null ? "" : ": " + only) + ". See `sandglass doctor`.");
        }
    }

    private void enter(RuntimeStatus runtime, Client client, Status status, Path runDir) throws IOException {
        SandglassContender sandglass = new SandglassContender(runtime.name(), client.again());
        contenders.add(sandglass);
        String image = sandglass.image();
        Area place = area;
        if (place == null) {
            place = Area.open(runDir, Path.of(status.dataDir()), image);
            area = place;
        }
        for (Engine engine : Engine.values()) {
            if (engine.family().equals(runtime.name())) {
                enter(engine, engine.program().equals(runtime.engine()), place);
            }
        }
        if (runtime.name().equals(Podman.WHO.family())) {
            enterPodman(place);
        }
    }

    private void enterPodman(Area place) throws IOException {
        Optional<EngineProgram> program = EngineProgram.find("podman");
        if (program.isEmpty()) {
            notes.add("podman is skipped: it is not installed");
        } else {
            enter(new Podman(place), program.get());
        }
    }

    private void enter(Engine engine, boolean baseline, Area place) throws IOException {
        Optional<EngineProgram> program = EngineProgram.find(engine.program());
        if (program.isEmpty()) {
            notes.add("raw " + engine.program() + " is skipped: it is not installed");
            return;
        }
        enter(new RawContender(engine, baseline, place), program.get());
    }

    private void enter(Contender contender, EngineProgram program) {
        try {
            contender.life((_, _) -> {});
            contenders.add(contender);
            engines.put(program.name(), program.version());
        } catch (IOException problem) {
            notes.add(contender.who().name() + " is skipped: " + problem.getMessage());
        }
    }

    List<Contender> contenders() {
        return contenders;
    }

    List<String> notes() {
        return notes;
    }

    Map<String, String> engines() {
        return engines;
    }

    @Override
    public void close() throws IOException {
        List<Exception> problems = new ArrayList<>();
        for (Contender contender : contenders) {
            try {
                contender.close();
            } catch (IOException | RuntimeException problem) {
                problems.add(problem);
            }
        }
        Area place = area;
        if (place != null) {
            place.close();
        }
        if (!problems.isEmpty()) {
            throw new IOException("Something could not be taken away: " + problems);
        }
    }
}
