package dev.sandglass.runtime.gvisor;

import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a gVisor kernel held, in files with the names that runsc gives them, and the configuration of the sandbox that it was. */
record GvisorImage(Path directory) {
    /** Makes the files that are not there yet. */
    void create(Path bundle) throws IOException {
        for (Path file : files()) {
            if (!Files.exists(file)) {
                Files.createFile(file);
            }
        }
        Files.copy(bundle.resolve("config.json"), configuration());
    }

    void remove() throws IOException {
        Files.deleteIfExists(configuration());
        for (Path file : files()) {
            Files.deleteIfExists(file);
        }
    }

    /** In the order in which the kernel takes them. */
    List<Path> files() {
        return List.of(directory.resolve("checkpoint.img"), directory.resolve("pages_meta.img"), pages());
    }

    Path pages() {
        return directory.resolve("pages.img");
    }

    long memoryBytes() throws IOException {
        return Files.size(pages());
    }

    /** Whether something was mounted there. */
    boolean hasMount(String target) throws IOException {
        return Json.read(Spec.class, Files.readAllBytes(configuration())).mounts().stream()
                .anyMatch(mount -> mount.destination().equals(target));
    }

    private Path configuration() {
        return directory.resolve("config.json");
    }
}
