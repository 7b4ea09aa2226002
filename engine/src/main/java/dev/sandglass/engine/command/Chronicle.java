package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.ledger.Change;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the ledger when commands begin and end, each once, whichever daemon sees it. Nobody waits for it: a command is as quick as it
 * would be without. Thread-safe.
 */
final class Chronicle {
    private static final Logger LOG = LoggerFactory.getLogger(Chronicle.class);
    private static final int SHOWN = 200;
    private static final int REMEMBERED = 10_000;

    private final Ledger ledger;
    private final LinkedHashSet<String> told = new LinkedHashSet<>();

    Chronicle(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Notes the start and the end when they come. */
    void follow(LiveSandbox in, GuestCommand command) {
        Thread.ofVirtual().name("command-events").start(() -> guarded(in, () -> {
            command.stream().started().join();
            ledger.add(in.id(), in.name(), started(command));
            Change ended = ended(in, command);
            if (first(in, command)) {
                ledger.add(in.id(), in.name(), ended);
            }
        }));
    }

    /** Goes on with the commands of a sandbox whose agent is reached anew: some may have ended while nobody listened. */
    void resume(LiveSandbox in) {
        List<GuestCommand> known = List.copyOf(in.link().commands().all());
        if (known.isEmpty()) {
            return;
        }
        Thread.ofVirtual().name("command-events").start(() -> guarded(in, () -> {
            // Asked once for all: most were told, and each question to the writer would look through the events of the sandbox.
            Set<String> begun = ledger.told(in.record(), "command.started");
            Set<String> over = ledger.told(in.record(), "command.exited");
            for (GuestCommand command : known) {
                if (!begun.contains(id(command)) || !over.contains(id(command))) {
                    Thread.ofVirtual().name("command-events").start(() -> guarded(in, () -> resume(in, command, begun.contains(id(command)))));
                }
            }
        }));
    }

    private void resume(LiveSandbox in, GuestCommand command, boolean begun) {
        if (!begun) {
            ledger.addOnce(in.record(), started(command), id(command), command.stream().started().join().at());
        }
        Change ended = ended(in, command);
        if (first(in, command)) {
            ledger.addOnce(in.record(), ended, id(command), command.stream().exit().join().endedAt());
        }
    }

    private void guarded(LiveSandbox in, Runnable work) {
        try {
            work.run();
        } catch (CompletionException gone) {
            return; // it was refused, or the sandbox is gone, or the daemon goes: that is told elsewhere
        } catch (SandglassException problem) {
            LOG.warn("A command of {} is missing among the events: {}", in.name(), problem.what());
        }
    }

    /** A link can break just when a command has ended: whoever sees the end first tells it. */
    private boolean first(LiveSandbox in, GuestCommand command) {
        String key = in.id().text() + " " + in.record().startedAt() + " " + id(command);
        synchronized (told) {
            if (told.size() >= REMEMBERED) {
                told.removeFirst();
            }
            return told.add(key);
        }
    }

    private static Change started(GuestCommand command) {
        return new Change("command.started", data(command));
    }

    private static Change ended(LiveSandbox in, GuestCommand command) {
        Exit exit = Exits.of(command.stream().exit().join(), in);
        Map<String, String> ended = new LinkedHashMap<>(data(command));
        ended.put("exit_code", Integer.toString(exit.code()));
        if (exit.reason() != null) {
            ended.put("reason", exit.reason());
        }
        return new Change("command.exited", ended);
    }

    /** Arguments may hold secrets, so they are not told. */
    private static Map<String, String> data(GuestCommand command) {
        String program = command.facts().argv().isEmpty() ? "" : command.facts().argv().getFirst();
        return Map.of("command", id(command), "program", program.substring(0, Math.min(program.length(), SHOWN)));
    }

    private static String id(GuestCommand command) {
        return "cmd-" + command.stream().number();
    }
}
