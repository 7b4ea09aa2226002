package dev.sandglass.cli;

import dev.sandglass.cli.terminal.TerminalGuard;
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
        new TerminalGuard("").dismiss();
        Console.ofProcess().print("");
    }

    private static void rehearse(Console console) {
        Main.run(console, "ls");
        Main.run(console, "ls", "--help");
        Main.run(console, "ls", "--filter", "state=running", "-o", "yaml");
        Main.run(console, "status");
        Main.run(console, "create", "--name", "a", "--memory", "1G", "--env", "A=b");
        Main.run(console, "exec", "brave-otter", "--timeout", "5", "ls", "-l");
        Main.run(console, "run", "true");
        Main.run(console, "shell", "brave-otter");
        Main.run(console, "ps");
        Main.run(console, "attach", "brave-otter", "cmd-1");
        Main.run(console, "logs", "brave-otter");
        Main.run(console, "kill", "brave-otter", "1");
        Main.run(console, "files", "ls", "brave-otter:/tmp");
        Main.run(console, "files", "cat", "brave-otter:/tmp/f");
        Main.run(console, "files", "mkdir", "brave-otter:/tmp/d");
        Main.run(console, "files", "mv", "brave-otter:/tmp/d", "/tmp/e");
        Main.run(console, "files", "rm", "brave-otter:/tmp/e");
        Main.run(console, "__complete", "--", "exec", "br");
        Main.run(console, "completion", "bash");
        Main.run(console, "stats");
        Main.run(console, "events");
        Main.run(console, "stop", "brave-otter");
        Main.run(console, "update", "brave-otter", "--memory", "512M");
        Main.run(console, "inspect", "brave-otter");
        Main.run(console, "inspect", "absent");
        Main.run(console, "rm", "brave-otter");
        Main.run(console, "version");
        Main.run(console, "--help");
        Main.run(console, "nonsense");
        Main.run(console, "ls", "--url", "unix:///nowhere/sandglass.sock");
    }
}
