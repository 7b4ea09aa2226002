package dev.sandglass.engine.life;

import dev.sandglass.engine.guest.CommandFacts;
import dev.sandglass.engine.guest.CommandStart;
import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A command that runs in a sandbox before it is ready. What it leaves in the background goes on. */
final class WarmUp {
    private static final Duration AT_MOST = Duration.ofMinutes(5);
    /** Of what it says, the end is told when it fails. */
    private static final int TOLD = 400;

    private final String command;
    private final StringBuilder said = new StringBuilder();

    WarmUp(String command) {
        this.command = command;
    }

    /** Returns when it has ended well. */
    void run(LiveSandbox sandbox) throws InterruptedException {
        CommandDefaults defaults = sandbox.record().commandDefaults();
        CommandFacts facts = new CommandFacts(List.of("/bin/sh", "-lc", command), defaults.workdir(), defaults.user(), false);
        GuestReader reader = sandbox.link().commands().startAttached(new CommandStart(facts, Map.of(), Optional.empty(), false, true, Optional.of(AT_MOST)));
        try {
            end(reader);
        } catch (SandglassException problem) {
            throw problem.code() == ErrorCode.SANDBOX_NOT_RUNNING ? failed("was cut off, because its sandbox has ended") : problem;
        } finally {
            reader.stream().close();
        }
    }

    private void end(GuestReader reader) throws InterruptedException {
        while (true) {
            switch (reader.next(AT_MOST.multipliedBy(2))) {
                case GuestEvent.Output(_, _, ByteBuffer bytes) -> hear(bytes);
                case GuestEvent.Ended(GuestExit exit) -> {
                    if (exit.status() != 0) {
                        throw failed(exit.timedOut() ? "was not done within " + AT_MOST.toMinutes() + " minutes" : "ended with status " + exit.status());
                    }
                    return;
                }
                case GuestEvent.Refused(_, _, String text) -> throw failed("cannot run: " + text);
                case GuestEvent.Closed() -> throw failed("was cut off");
                case GuestEvent.Eof() -> {}
            }
        }
    }

    private void hear(ByteBuffer bytes) {
        said.append(StandardCharsets.UTF_8.decode(bytes.duplicate()));
        said.delete(0, Math.max(0, said.length() - TOLD));
    }

    private SandglassException failed(String how) {
        String last = Rules.printable(said.toString().strip());
        return new SandglassException(
                ErrorCode.COMMAND_REFUSED, "The warm-up " + how + (last.isEmpty() ? "." : ": " + last), "Try it by hand in a sandbox of the same snapshot: `sandglass run`.");
    }
}
