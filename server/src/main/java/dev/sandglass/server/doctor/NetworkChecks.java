package dev.sandglass.server.doctor;

import dev.sandglass.network.pair.Pairs;
import java.nio.file.Path;

/** Whether sandboxes can have a network here, found out by making one. */
final class NetworkChecks {
    private static final String NEED = "networks";

    private NetworkChecks() {}

    /**
     * @param directory where those of sandboxes are
     * @param needed whether a sandbox that does not say is to have one
     */
    static Finding run(Path directory, boolean needed) {
        return Pairs.obstacle(directory)
                .map(obstacle -> needed
                        ? Finding.fail(NEED, obstacle, "Install what is missing, or make sandboxes with --network none; the setting `network: none` makes that the default.")
                        : Finding.warn(NEED, obstacle, "Install what is missing; by default sandboxes have none here."))
                .orElseGet(() -> Finding.pass(NEED, needed ? "one was made; sandboxes have one unless they are made with --network none" : "one was made; by default sandboxes have none here"));
    }
}
