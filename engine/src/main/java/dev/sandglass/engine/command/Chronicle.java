package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the ledger when commands begin and end. Nobody waits for it: a command is as quick as it would be without. The end of
 * a command that outlives this daemon is not told.
 */
final class Chronicle {
    private static final Logger LOG = LoggerFactory.getLogger(Chronicle.class);
    private static final int SHOWN = 200;

    private final Ledger ledger;

    Chronicle(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Notes the start now and the end when it comes. */
    void follow(LiveSandbox in, GuestCommand command) {
        Thread.ofVirtual().name("command-events").start(() -> write(in, command));
    }

    private void write(LiveSandbox in, GuestCommand command) {
        String program = command.facts().argv().getFirst();
        // Arguments may hold secrets, so they are not told.
        Map<String, String> data = Map.of(
                "command", "cmd-" + command.stream().number(),
                "program", program.substring(0, Math.min(program.length(), SHOWN)));
        try {
            ledger.add(in.id(), in.name(), new Change("command.started", data));
            Exit exit = Exits.of(command.stream().exit().join(), in);
            Map<String, String> ended = new LinkedHashMap<>(data);
            ended.put("exit_code", Integer.toString(exit.code()));
            if (exit.reason() != null) {
                ended.put("reason", exit.reason());
            }
            ledger.add(in.id(), in.name(), new Change("command.exited", ended));
        } catch (CompletionException gone) {
            return; // the sandbox is gone, or the daemon goes: that is told elsewhere
        } catch (SandglassException problem) {
            LOG.warn("A command of {} is missing among the events: {}", in.name(), problem.what());
        }
    }
}
