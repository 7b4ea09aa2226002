package dev.sandglass.server;

import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.linux.Trees;
import dev.sandglass.runtime.Runtimes;
import dev.sandglass.runtime.oci.EngineProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/** Which runtimes of this machine capture memory. */
final class CapturedMemory {
    private static final Map<String, Optional<String>> OBSTACLES = new ConcurrentHashMap<>();

    private CapturedMemory() {}

    /** Skips a test, and says why, where it is about processes that this machine cannot capture. */
    static void assumeOn(String runtime) {
        obstacle(runtime).ifPresent(obstacle -> {
            System.out.println("Skipped on " + runtime + ": " + obstacle);
            Assumptions.abort(runtime + ": " + obstacle);
        });
    }

    /** CRIU before 4.2 asks internet sockets for what Linux has told of none since 6.16. */
    static void assumeSocketsOn(String runtime) {
        String version = runtime.equals("container") ? EngineProgram.answer("criu", "--version").orElse("") : "";
        String[] kernel = System.getProperty("os.version").split("[^0-9]+");
        boolean isNew = Integer.parseInt(kernel[0]) * 1000 + Integer.parseInt(kernel[1]) >= 6016;
        Assumptions.assumeFalse(isNew && version.contains("Version: 4.1"), "CRIU 4.1 cannot capture internet sockets on this kernel");
    }

    static Optional<String> obstacle(String runtime) {
        return OBSTACLES.computeIfAbsent(runtime, CapturedMemory::look);
    }

    private static Optional<String> look(String name) {
        try {
            Path run = Files.createTempDirectory("sandglass-look");
            try {
                Runtime runtime = Runtimes.open(run).all().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
                return runtime.obstacleToMemory();
            } finally {
                Trees.remove(run);
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
