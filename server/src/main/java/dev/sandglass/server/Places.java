package dev.sandglass.server;

import dev.sandglass.wire.RunDirectory;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;

/** Where things are: what lasts in the data directory, what a reboot may take in the run directory. */
record Places(Path data, Path run, Path builtAgent) {
    static Places of(Map<String, String> environment) {
        Path data = Path.of(environment.getOrDefault("SANDGLASS_DATA_DIR", RunDirectory.STANDARD_DATA.toString()))
                .toAbsolutePath()
                .normalize();
        String run = environment.get("SANDGLASS_RUN_DIR");
        String agent = environment.get("SANDGLASS_AGENT");
        return new Places(
                data,
                run == null ? RunDirectory.of(data) : Path.of(run).toAbsolutePath().normalize(),
                agent == null ? besideTheProgram() : Path.of(agent));
    }

    /**
     * The build puts the agent next to the jars. Classes of the ahead-of-time cache say where their jar was when that was made,
     * which may be gone; the class path says where it is.
     */
    private static Path besideTheProgram() {
        Path program = Path.of(System.getProperty("java.class.path").split(File.pathSeparator)[0]);
        return program.resolveSibling("sandglass-agent");
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

    /** The key of the credentials. */
    Path credentialKey() {
        return data.resolve("credentials.key");
    }

    /** The key of the secrets of routes and of links. */
    Path routeKey() {
        return data.resolve("routes.key");
    }

    /** Of which the access tokens of sandboxes are made. */
    Path accessKey() {
        return data.resolve("access.key");
    }

    Path agents() {
        return data.resolve("agents");
    }

    Path manifests() {
        return data.resolve("manifests");
    }

    /** The owner's own components. */
    Path components() {
        return data.resolve("components");
    }

    /** For what is on its way in or out. */
    Path archiveWork() {
        return data.resolve("archive-work");
    }

    /** What steps of templates copy from. */
    Path uploads() {
        return data.resolve("uploads");
    }

    /** For images that are on their way in or out. */
    Path imageWork() {
        return data.resolve("image-work");
    }

    Path snapshots() {
        return data.resolve("snapshots");
    }

    /** For captured memory on its way to the pool. */
    Path landing() {
        return run.resolve("landing");
    }

    /** Of which the authorities of sandboxes are made, whom they trust for what their gateways look into. */
    Path gatewayKey() {
        return data.resolve("gateway.key");
    }

    /** Of names of network namespaces. */
    Path networks() {
        return run.resolve("net");
    }

    Path identities() {
        return data.resolve("sandboxes");
    }
}
