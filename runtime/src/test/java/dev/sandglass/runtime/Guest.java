package dev.sandglass.runtime;

import dev.sandglass.engine.guest.CommandFacts;
import dev.sandglass.engine.guest.CommandStart;
import dev.sandglass.engine.guest.Greeting;
import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestLink;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.runtime.Machine;
import dev.sandglass.engine.runtime.Runtime;
import dev.sandglass.engine.sandbox.MachineProcess;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A started sandbox whose agent answers. */
record Guest(Machine machine, MachineProcess process, GuestLink link) {
    record Result(int status, boolean outOfMemory, String output) {}

    static Guest greet(Runtime runtime, Machine machine, MachineProcess process) throws InterruptedException {
        return greet(runtime, machine, process, 0);
    }

    static Guest greet(Runtime runtime, Machine machine, MachineProcess process, long generation) throws InterruptedException {
        Greeting greeting = new Greeting(
                runtime.guestSettings(machine.security(), machine.capabilities(), machine.limits()),
                machine.hostname(),
                Map.of(),
                generation,
                () -> 0);
        GuestLink link =
                GuestLink.open(machine.hostname(), runtime.connect(machine.id()), greeting, Duration.ofSeconds(20));
        return new Guest(machine, process, link);
    }

    /** Runs a shell script as root and returns what it printed, both streams together. */
    String sh(String script) throws InterruptedException {
        return run("root", "sh", "-c", script).output().strip();
    }

    Result run(String user, String... argv) throws InterruptedException {
        GuestReader reader = start(user, argv);
        StringBuilder output = new StringBuilder();
        while (true) {
            switch (reader.next()) {
                case GuestEvent.Output(_, _, ByteBuffer bytes) ->
                    output.append(StandardCharsets.UTF_8.decode(bytes));
                case GuestEvent.Ended(GuestExit exit) -> {
                    reader.stream().close();
                    return new Result(exit.status(), exit.outOfMemory(), output.toString());
                }
                case GuestEvent.Refused(int errno, _, String text) ->
                    throw new AssertionError("refused: " + errno + " " + text);
                case GuestEvent.Eof() -> {}
                case GuestEvent.Closed() -> throw new AssertionError("closed");
            }
        }
    }

    GuestReader start(String user, String... argv) throws InterruptedException {
        return start(false, user, argv);
    }

    GuestReader startWithInput(String user, String... argv) throws InterruptedException {
        return start(true, user, argv);
    }

    private GuestReader start(boolean input, String user, String... argv) throws InterruptedException {
        CommandFacts facts = new CommandFacts(List.of(argv), Optional.empty(), Optional.of(user), false);
        return link.commands().startAttached(new CommandStart(facts, Map.of(), Optional.empty(), input, true, Optional.empty()));
    }

    static String firstOutput(GuestReader reader) throws InterruptedException {
        return switch (reader.next()) {
            case GuestEvent.Output(_, _, ByteBuffer bytes) -> StandardCharsets.UTF_8.decode(bytes).toString();
            case GuestEvent other -> throw new AssertionError("instead of output: " + other);
        };
    }
}
