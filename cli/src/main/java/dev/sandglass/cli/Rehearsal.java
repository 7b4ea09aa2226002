package dev.sandglass.cli;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Runs the verbs once against a stand-in for the daemon, so that the JDK's ahead-of-time cache learns what they need. */
public final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("sandglass");
        Path socket = directory.resolve("s");
        Map<String, String> environment = Map.of("SANDGLASS_URL", "unix://" + socket, "SANDGLASS_API_KEY", "t");
        try (StandIn _ = new StandIn(socket)) {
            for (Set<Integer> terminals : Set.of(Set.<Integer>of(), Set.of(Console.OUT, Console.ERR))) {
                Console console = new Console(
                        InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), terminals, environment);
                rehearse(console);
            }
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(directory);
        }
        Console.ofProcess().print("");
    }

    private static void rehearse(Console console) {
        Main.run(console, "ls");
        Main.run(console, "ls", "--help");
        Main.run(console, "status");
        Main.run(console, "create", "--name", "a", "--memory", "1G", "--env", "A=b");
        Main.run(console, "exec", "brave-otter", "--timeout", "5", "ls", "-l");
        Main.run(console, "run", "true");
        Main.run(console, "inspect", "brave-otter");
        Main.run(console, "inspect", "absent");
        Main.run(console, "rm", "brave-otter");
        Main.run(console, "version");
        Main.run(console, "--help");
        Main.run(console, "nonsense");
        Main.run(console, "ls", "--url", "unix:///nowhere/sandglass.sock");
    }
}
