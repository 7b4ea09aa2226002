package dev.sandglass.server;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/**
 * Where things are: what lasts in the data directory, what a reboot may take in the run directory. Each data directory has a
 * run directory of its own, so two daemons on two data directories do not meet.
 */
record Places(Path data, Path run, Path builtAgent) {
    private static final Path STANDARD = Path.of("/var/lib/sandglass");

    static Places of(Map<String, String> environment) {
        Path data = Path.of(environment.getOrDefault("SANDGLASS_DATA_DIR", STANDARD.toString()))
                .toAbsolutePath()
                .normalize();
        String run = environment.get("SANDGLASS_RUN_DIR");
        String agent = environment.get("SANDGLASS_AGENT");
        return new Places(
                data,
                run == null ? runFor(data) : Path.of(run).toAbsolutePath().normalize(),
                agent == null ? besideTheProgram() : Path.of(agent));
    }

    /** The build puts the agent next to the jars. */
    private static Path besideTheProgram() {
        Path program = Path.of(Places.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        return program.resolveSibling("sandglass-agent");
    }

    private static Path runFor(Path data) {
        if (data.equals(STANDARD)) {
            return Path.of("/run/sandglass");
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(data.toString().getBytes(StandardCharsets.UTF_8));
            return Path.of("/run/sandglass-" + HexFormat.of().formatHex(digest, 0, 4));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    Path socket() {
        return run.resolve("sandglass.sock");
    }

    Path pidFile() {
        return run.resolve("daemon.pid");
    }

    Path ledger() {
        return data.resolve("ledger.db");
    }

    Path token() {
        return data.resolve("token");
    }

    Path agents() {
        return data.resolve("agents");
    }

    Path identities() {
        return data.resolve("sandboxes");
    }
}
