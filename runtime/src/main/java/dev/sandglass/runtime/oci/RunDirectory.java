package dev.sandglass.runtime.oci;

import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.Sha256;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Where running sandboxes have their files: {@code sandboxes/ID}, and {@code state/ENGINE} for what the engines keep. Gone
 * after a reboot, as they are.
 */
public record RunDirectory(Path path) {
    private static final Path STANDARD = Path.of("/run/sandglass");
    /** Root of a user namespace is nobody out here: it must get through, and need not look around. */
    private static final Set<PosixFilePermission> TRAVERSABLE = PosixFilePermissions.fromString("rwx--x--x");

    public RunDirectory {
        path = path.toAbsolutePath().normalize();
    }

    /** Makes what is missing of it. */
    public void prepare() throws IOException {
        for (Path directory : List.of(path, sandboxes(), states())) {
            makeTraversable(directory);
        }
    }

    public SandboxDirectory sandbox(SandboxId id) {
        return new SandboxDirectory(sandboxes().resolve(id.text()));
    }

    /** Where an engine keeps its own state. */
    public Path state(String engine) {
        return states().resolve(engine);
    }

    /** The control group above those of the sandboxes; another one for every run directory, whatever its last name is. */
    public String cgroupParent() {
        return path.equals(STANDARD) ? "sandglass" : "sandglass-" + Sha256.of(path.toString(), 12);
    }

    /** What any engine keeps of any sandbox. */
    List<Path> engineStates() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path engine : entries(states())) {
            found.addAll(entries(engine));
        }
        return found;
    }

    List<Path> sandboxDirectories() throws IOException {
        return entries(sandboxes());
    }

    private Path sandboxes() {
        return path.resolve("sandboxes");
    }

    private Path states() {
        return path.resolve("state");
    }

    private static List<Path> entries(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            List<Path> found = new ArrayList<>();
            entries.forEach(found::add);
            return found;
        }
    }

    static void makeTraversable(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, TRAVERSABLE);
    }
}
