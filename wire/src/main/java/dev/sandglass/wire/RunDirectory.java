package dev.sandglass.wire;

import java.nio.file.Path;

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
        return Path.of(data.equals(STANDARD_DATA) ? STANDARD : STANDARD + "-" + Sha256.of(data.toString(), 8));
    }
}
