package dev.sandglass.wire;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Where a daemon keeps what a reboot may take, its socket among it. Each data directory has a run directory of its own, so two
 * daemons on two data directories do not meet. The launcher (setup/daemon.sh) reckons the same.
 */
public final class RunDirectory {
    public static final Path STANDARD_DATA = Path.of("/var/lib/sandglass");
    private static final String STANDARD = "/run/sandglass";

    private RunDirectory() {}

    /** The run directory of a data directory, which is absolute. */
    public static Path of(Path data) {
        return Path.of(data.equals(STANDARD_DATA) ? STANDARD : STANDARD + "-" + digest(data.toString()));
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
