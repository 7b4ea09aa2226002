package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.Turns;
import dev.sandglass.engine.sandbox.SandboxId;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Commands that are started once however often the request comes. The ledger has the command's number before the agent does, so whatever
 * ends the daemon in between, the next one can ask the agent whether it ever heard of it. Thread-safe.
 */
final class KeyedCommands {
    /** Asks for a command whose number is told before, and does not wait until it runs. */
    interface Launch {
        GuestCommand launch(IntConsumer numbered);
    }

    private final Ledger ledger;
    /** Of those that come with the same key: a sandbox that keeps its own callers waiting keeps nobody else. */
    private final Turns<Name> turns = new Turns<>();

    private record Name(SandboxId sandbox, String key) {}

    KeyedCommands(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Starts the command, or gives the one back that was started with the same key; whoever comes meanwhile waits for it. One that does not
     * run in time stays known, for whoever asks again.
     */
    GuestCommand startOnce(LiveSandbox in, IdempotencyKey key, Launch launch) throws InterruptedException {
        Name name = new Name(in.id(), key.text());
        try (Turns.Taken _ = turns.take(name)) {
            return startInTurn(in, key, launch);
        }
    }

    private GuestCommand startInTurn(LiveSandbox in, IdempotencyKey key, Launch launch) throws InterruptedException {
        Instant life = in.record().startedAt().orElseThrow();
        Optional<KeyedCommand> earlier = ledger.command(in.id(), key);
        Optional<GuestCommand> known = earlier.filter(command -> isOf(life, command)).flatMap(command -> in.link().commands().find(command.number()));
        if (known.isPresent()) {
            return settled(in, key, known.get(), earlier.get());
        }
        if (earlier.isPresent() && earlier.get().started()) {
            throw new SandglassException(
                    ErrorCode.COMMAND_NOT_FOUND,
                    "This Idempotency-Key has started cmd-" + earlier.get().number() + ", which is no longer kept.",
                    "It ended long ago, or the sandbox was stopped since. Take a new key to start it again.");
        }
        GuestCommand command = launch.launch(number -> {
            ledger.keep(in.id(), key, new KeyedCommand(life, number, false));
            Failpoint.EXEC_NUMBERED.reach();
        });
        return settled(in, key, command, new KeyedCommand(life, command.stream().number(), false));
    }

    /** The command once it runs and the ledger knows that it does. */
    private GuestCommand settled(LiveSandbox in, IdempotencyKey key, GuestCommand command, KeyedCommand kept) throws InterruptedException {
        if (kept.started()) {
            return command;
        }
        KeyedCommand started = new KeyedCommand(kept.life(), kept.number(), true);
        try {
            in.link().commands().awaitStarted(command);
        } catch (InterruptedException | SandglassException notYet) {
            command.stream().started().thenRun(() -> Thread.ofVirtual().start(() -> ledger.keep(in.id(), key, started)));
            throw notYet;
        }
        Failpoint.EXEC_STARTED.reach();
        ledger.keep(in.id(), key, started);
        return command;
    }

    private static boolean isOf(Instant life, KeyedCommand command) {
        return command.life().toEpochMilli() == life.toEpochMilli();
    }
}
