package dev.sandglass.cli.client;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the daemon of this machine keeps what a client needs. The launcher and the server derive the same places. */
public record Places(Path dataDir, Path runDir) {
    private static final String DEFAULT_DATA_DIR = "/var/lib/sandglass";
    private static final String DEFAULT_RUN_DIR = "/run/sandglass";

    /** From the option if there is one, else the environment, else the defaults. */
    public static Places of(@Nullable String dataDirOption, Map<String, String> environment) {
        String given = dataDirOption != null ? dataDirOption : environment.getOrDefault("SANDGLASS_DATA_DIR", "");
        String dataDir = given.isEmpty() ? DEFAULT_DATA_DIR : Path.of(given).toAbsolutePath().normalize().toString();
        String runDir = dataDirOption != null ? "" : environment.getOrDefault("SANDGLASS_RUN_DIR", "");
        if (runDir.isEmpty()) {
            runDir = dataDir.equals(DEFAULT_DATA_DIR) ? DEFAULT_RUN_DIR : DEFAULT_RUN_DIR + "-" + digest(dataDir);
        }
        return new Places(Path.of(dataDir), Path.of(runDir));
    }

    public Path socket() {
        return runDir.resolve("sandglass.sock");
    }

    public Path tokenFile() {
        return dataDir.resolve("token");
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 4);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
