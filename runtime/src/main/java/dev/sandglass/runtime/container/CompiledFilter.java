package dev.sandglass.runtime.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

/**
 * The system call filter as crun compiled it for the first sandbox of this process. All containers have the same one, and to
 * compile it anew takes crun a quarter of a start. The profile stays in the configuration: an engine that does not know the
 * annotation goes by that. Thread-safe.
 */
final class CompiledFilter {
    private static final String ANNOTATION = "run.oci.seccomp_bpf_data";
    private static final int INSTRUCTION_BYTES = 8;
    /** The kernel's own limit. */
    private static final int MOST_INSTRUCTIONS = 4096;

    private volatile Map<String, String> annotations = Map.of();

    /** Empty until the filter is known. */
    Map<String, String> annotations() {
        return annotations;
    }

    /** @param state what crun keeps of a sandbox that was started with the profile; only root reaches it */
    void learn(Path state) {
        if (!annotations.isEmpty()) {
            return;
        }
        try {
            byte[] filter = Files.readAllBytes(state.resolve("seccomp.bpf"));
            boolean isWhole = filter.length > 0 && filter.length % INSTRUCTION_BYTES == 0;
            if (isWhole && filter.length <= MOST_INSTRUCTIONS * INSTRUCTION_BYTES) {
                annotations = Map.of(ANNOTATION, Base64.getEncoder().encodeToString(filter));
            }
        } catch (IOException _) {
            // this crun keeps it elsewhere: it goes on compiling
        }
    }
}
