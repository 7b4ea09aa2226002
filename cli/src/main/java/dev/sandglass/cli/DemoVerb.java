package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.Body;
import dev.sandglass.cli.terminal.Bytes;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** {@code demo}: what a sandbox does, step by step, with the time each step took. */
final class DemoVerb extends Verb {
    private static final int FILE_SIZE = 8 << 20;
    private static final String FILE = "/workspace/demo.bin";

    private final SandboxOptions options = new SandboxOptions(syntax);

    DemoVerb() {
        super(new Syntax(
                "demo",
                "Set everything up, start the daemon, and show a sandbox at work. --no-install, --suite NAME and",
                "--rebuild-image are those of `sandglass setup`.",
                ""));
    }

    @Override
    int run(Console console) {
        String name = options.name().isEmpty() ? "demo-" + Long.toString(ThreadLocalRandom.current().nextLong(1 << 30), 36) : options.name();
        try (Client client = client(console); Throwaway throwaway = new Throwaway(client.again(), name, console)) {
            DemoSteps steps = new DemoSteps(console);
            Sandbox sandbox = steps.timed(
                    "Create a sandbox", () -> client.create(options.request(name, null)));
            steps.note(sandbox.name() + " (" + sandbox.id() + "): runtime " + sandbox.runtime() + ", at most "
                    + Bytes.shown(sandbox.memoryMb() << 20) + " of memory, " + LsVerb.number(sandbox.cpus()) + " CPUs, "
                    + Bytes.shown(sandbox.diskMb() << 20) + " of disk, " + sandbox.maxProcesses() + " processes");
            command(steps, client, sandbox, "uname -a");
            command(steps, client, sandbox, "id; hostname; ps -e | wc -l");
            command(steps, client, sandbox, "python3 -c 'print(sum(n * n for n in range(1000000)))'");
            copy(steps, client, sandbox);
            List<Sandbox> all = steps.timed("List the sandboxes", () -> client.list());
            steps.note(LsVerb.table(all, false));
            steps.timed("Remove it", () -> {
                throwaway.remove();
                return name;
            });
            new TimeTravel(console, client, steps).show(name);
            new WayOut(console, client, steps).show(name);
            console.print(Resource.text("next.txt"));
            return OK;
        }
    }

    private static void command(DemoSteps steps, Client client, Sandbox sandbox, String line) {
        CommandResult result = steps.timed(
                "Run: " + line,
                () -> client.run(sandbox.id(), new RunCommand(Shell.line(line), null, null, null, null, 60_000L, null)));
        steps.note(result.stdout() + result.stderr());
        if (result.exit().code() != 0) {
            throw new SandglassException(
                    ErrorCode.COMMAND_REFUSED, "`" + line + "` ended with " + result.exit().code(), "See `sandglass doctor`.");
        }
    }

    private static void copy(DemoSteps steps, Client client, Sandbox sandbox) {
        byte[] sent = new byte[FILE_SIZE];
        ThreadLocalRandom.current().nextBytes(sent);
        steps.timed("Copy a file of " + Bytes.shown(FILE_SIZE) + " in", () -> client.files().write(
                sandbox.id(), FILE, null, "644", null, Body.of("application/octet-stream", sent)));
        byte[] received = steps.timed("Copy it out again", () -> read(client, sandbox));
        if (!Arrays.equals(sent, received)) {
            throw new SandglassException(ErrorCode.INTERNAL, "The file came back changed", "See `sandglass doctor`.");
        }
        steps.note("every byte is the same");
    }

    private static byte[] read(Client client, Sandbox sandbox) {
        try {
            return client.files().read(sandbox.id(), FILE, null).bytes(FILE_SIZE);
        } catch (IOException problem) {
            throw new SandglassException(ErrorCode.FILE_REFUSED, Inert.text("The copy failed: " + problem.getMessage()), "Try again.", problem);
        }
    }
}
