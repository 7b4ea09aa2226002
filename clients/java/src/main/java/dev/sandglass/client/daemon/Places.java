package dev.sandglass.client.daemon;

import dev.sandglass.wire.RunDirectory;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the daemon of this machine keeps what a client needs. The launcher and the server derive the same places. */
public record Places(Path dataDir, Path runDir) {
    /** From the option if there is one, else the environment, else the defaults. */
    public static Places of(@Nullable String dataDirOption, Map<String, String> environment) {
        String given = dataDirOption != null ? dataDirOption : environment.getOrDefault("SANDGLASS_DATA_DIR", "");
        Path dataDir = given.isEmpty() ? RunDirectory.STANDARD_DATA : Path.of(given).toAbsolutePath().normalize();
        String runDir = dataDirOption != null ? "" : environment.getOrDefault("SANDGLASS_RUN_DIR", "");
        return new Places(dataDir, runDir.isEmpty() ? RunDirectory.of(dataDir) : Path.of(runDir));
    }

    public Path socket() {
        return runDir.resolve("sandglass.sock");
    }

    public Path tokenFile() {
        return dataDir.resolve("token");
    }
}
