package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.KeyedCommand;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * Commands that are started once however often the request comes. The ledger has the command's number before the agent does, so whatever
 * ends the daemon in between, the next one can ask the agent whether it ever heard of it. Thread-safe.
 */
final class KeyedCommands {
    private static final int TURNS = 64;

    /** Starts a command whose number is told before. */
    interface Start {
        GuestCommand start(IntConsumer numbered) throws InterruptedException;
    }

    private final Ledger ledger;
    private final ReentrantLock[] turns = new ReentrantLock[TURNS];

    KeyedCommands(Ledger ledger) {
        this.ledger = ledger;
        Arrays.setAll(turns, _ -> new ReentrantLock());
    }

    /** Starts the command, or gives the one back that was started with the same key; whoever comes meanwhile waits for it. */
    GuestCommand startOnce(LiveSandbox in, IdempotencyKey key, Start start) throws InterruptedException {
        ReentrantLock turn = turns[Math.floorMod(Objects.hash(in.id(), key.text()), TURNS)];
        turn.lockInterruptibly();
        try {
            Instant life = in.record().startedAt().orElseThrow();
            Optional<KeyedCommand> earlier = ledger.command(in.id(), key);
            Optional<GuestCommand> known = earlier.filter(command -> isOf(life, command)).flatMap(command -> in.link().command(command.number()));
            if (known.isPresent()) {
                return known.get();
            }
            if (earlier.isPresent() && earlier.get().started()) {
                throw new SandglassException(
                        ErrorCode.COMMAND_NOT_FOUND,
                        "This Idempotency-Key has started cmd-" + earlier.get().number() + ", which is no longer kept.",
                        "It ended long ago, or the sandbox was stopped since. Take a new key to start it again.");
            }
            GuestCommand command = start.start(number -> ledger.keep(in.id(), key, new KeyedCommand(life, number, false)));
            ledger.keep(in.id(), key, new KeyedCommand(life, command.stream().number(), true));
            return command;
        } finally {
            turn.unlock();
        }
    }

    private static boolean isOf(Instant life, KeyedCommand command) {
        return command.life().toEpochMilli() == life.toEpochMilli();
    }
}
