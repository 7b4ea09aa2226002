package dev.sandglass.engine.guest;

import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The commands that an agent runs or remembers, and those that it is asked to start. Thread-safe. */
public final class GuestCommands {
    private static final int WINDOW = 1 << 18;
    /** The agent has no more of them. */
    private static final int MOST = 1 << 13;
    /** What the agent may say of the commands that it has, all together: many times what honest ones come to. */
    private static final long MOST_BYTES = 64 << 20;

    private final GuestStreams streams;
    private final LongSupplier oomKills;
    private final Starts starts;
    /** Bytes that the agent has said of its commands; the reader thread's own. */
    private long told;

    GuestCommands(String name, GuestStreams streams, LongSupplier oomKills) {
        this.streams = streams;
        this.oomKills = oomKills;
        this.starts = new Starts(name);
    }

    /** The commands that run or are remembered, oldest first. */
    public Collection<GuestCommand> all() {
        return streams.commands().values();
    }

    public Optional<GuestCommand> find(int number) {
        return Optional.ofNullable(streams.commands().get(number));
    }

    /** Starts a command; returns when its process runs. */
    public GuestCommand start(CommandStart start) throws InterruptedException {
        GuestCommand command = launch(start, _ -> {});
        awaitOrAbandon(command);
        return command;
    }

    /** Starts a command with this caller as a reader of all its output from the beginning. */
    public GuestReader startAttached(CommandStart start) throws InterruptedException {
        GuestCommand command = launch(start, _ -> {});
        GuestReader reader;
        try {
            reader = command.stream().attach(0);
        } catch (SandglassException unread) {
            command.stream().abandon(); // it is held for a reader that does not come
            throw unread;
        }
        awaitOrAbandon(command);
        return reader;
    }

    /**
     * Asks the agent for a command and does not wait until it runs.
     *
     * @param numbered told the command's number before the agent hears of it; if it throws nothing is started
     */
    public GuestCommand launch(CommandStart start, IntConsumer numbered) {
        byte[] message = start.encode();
        starts.begin();
        GuestCommand command;
        try {
            command = launch(start, message, numbered);
        } catch (RuntimeException problem) {
            starts.end();
            throw problem;
        }
        command.stream().started().whenComplete((_, _) -> starts.end());
        return command;
    }

    private GuestCommand launch(CommandStart start, byte[] message, IntConsumer numbered) {
        GuestStream stream = streams.open(WINDOW, Protocol.INITIAL_INPUT_CREDIT, true);
        if (!start.input() && start.pty().isEmpty()) {
            stream.closeInput();
        }
        stream.countKills(oomKills);
        GuestCommand command = new GuestCommand(start.facts(), stream);
        try {
            numbered.accept(stream.number());
        } catch (RuntimeException refused) {
            streams.forget(stream);
            throw refused;
        }
        streams.commands().put(stream.number(), command);
        streams.request(Protocol.START, stream, message);
        return command;
    }

    /** A start that is not awaited leaves nothing behind: nobody would know its number. */
    private void awaitOrAbandon(GuestCommand command) throws InterruptedException {
        try {
            awaitStarted(command);
        } catch (InterruptedException | SandglassException nobodyWaits) {
            if (!command.stream().started().isCompletedExceptionally()) {
                command.stream().abandon();
            }
            throw nobodyWaits;
        }
    }

    /** Returns when the command's process runs; {@code guest_timeout} when it does not in time, and then it may still come to. */
    public void awaitStarted(GuestCommand command) throws InterruptedException {
        starts.await(command.stream().started());
    }

    /** Those end that do not go on in the state to which the sandbox goes back. */
    void turnBack(Predicate<GuestStream.Started> lasting) {
        for (GuestCommand command : all()) {
            CompletableFuture<GuestStream.Started> started = command.stream().started();
            if (started.state() == Future.State.SUCCESS && !command.finished() && !lasting.test(started.resultNow())) {
                command.stream().turnBack();
            }
        }
    }

    // -- for the link's reader thread

    /** Takes over one that an earlier daemon had started; the agent tells of them before it is ready. */
    void adopt(int number, ByteBuffer payload) throws IOException {
        told += payload.remaining();
        if (number == 0 || streams.commands().size() >= MOST || told > MOST_BYTES) {
            throw outOfPlace(number);
        }
        FieldReader fields = new FieldReader(payload);
        long flags = fields.number(5);
        CommandFacts facts = new CommandFacts(fields.texts(6), fields.text(8), fields.text(9), (flags & 1) != 0);
        GuestStream stream = new GuestStream(number, streams, WINDOW, fields.number(10), true);
        Optional<byte[]> end = fields.bytes(7);
        GuestExit exit = end.isPresent() ? GuestExit.decode(ByteBuffer.wrap(end.get())) : null;
        stream.adopted(new GuestStream.Started(fields.number(1), GuestExit.timeOf(fields.number(2))), exit, (flags & 2) != 0);
        streams.add(stream);
        stream.countKills(oomKills);
        streams.commands().put(number, new GuestCommand(facts, stream));
    }

    static ProtocolException outOfPlace(int stream) {
        return new ProtocolException("COMMAND for stream " + stream + " out of place");
    }
}
