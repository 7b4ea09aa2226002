package dev.sandglass.runtime.gvisor;

import dev.sandglass.linux.SmallFile;
import dev.sandglass.runtime.oci.Spec;
import dev.sandglass.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a gVisor kernel held, in files with the names that runsc gives them, and the configuration of the sandbox that it was. */
record GvisorImage(Path directory) {
    private static final String CONFIGURATION = "config.json";
    private static final String PAGES = "pages.img";
    /** Many times what Sandglass writes; an image may be somebody else's work. */
    private static final int CONFIGURATION_BYTES = 1 << 20;

    /** Makes the files that are not there yet. */
    void create(Path bundle) throws IOException {
        for (Path file : files()) {
            if (!Files.exists(file)) {
                Files.createFile(file);
            }
        }
        Files.copy(bundle.resolve(CONFIGURATION), configuration());
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
        return directory.resolve(PAGES);
    }

    long memoryBytes() throws IOException {
        return SmallFile.size(directory, PAGES);
    }

    /** Whether something was mounted there. */
    boolean hasMount(String target) throws IOException {
        return Json.read(Spec.class, SmallFile.read(directory, CONFIGURATION, CONFIGURATION_BYTES)).mounts().stream()
                .anyMatch(mount -> mount.destination().equals(target));
    }

    private Path configuration() {
        return directory.resolve(CONFIGURATION);
    }
}
