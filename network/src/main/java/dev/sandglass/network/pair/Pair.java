package dev.sandglass.network.pair;

import dev.sandglass.engine.network.Network;
import dev.sandglass.linux.ErrnoException;
import dev.sandglass.linux.Mounts;
import dev.sandglass.linux.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Two network namespaces with a link between them, named by files: that of a sandbox, with the user namespace that owns it, and that of its gateway. Their
 * addresses are the same in every pair.
 */
public record Pair(Path directory) {
    /** The sandbox's address. */
    public static final String INSIDE = "10.0.0.2";
    /** The gateway's, which is the sandbox's way to everything and its resolver. */
    public static final String GATEWAY = Network.GATEWAY;
    /** The port to which the gateway's namespace brings every connection. */
    static final int EVERY_PORT = 1;

    /** The user namespace that a sandbox on the host's kernel lives in. */
    public Path user() {
        return directory.resolve("user");
    }

    /** The sandbox's own network namespace. */
    public Path inside() {
        return directory.resolve("inside");
    }

    /** That of the other end. */
    public Path gateway() {
        return directory.resolve("gateway");
    }

    /** Takes the names away, halfway made ones too; the namespaces go when their last process and socket have gone. */
    void remove() throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        for (Path name : List.of(user(), inside(), gateway())) {
            if (Files.exists(name)) {
                unmount(name);
            }
        }
        Trees.remove(directory);
    }

    private static void unmount(Path name) throws IOException {
        try {
            Mounts.detach(name);
        } catch (ErrnoException problem) {
            if (!problem.isInvalid()) { // else it never was a name of a namespace
                throw problem;
            }
        }
    }
}
