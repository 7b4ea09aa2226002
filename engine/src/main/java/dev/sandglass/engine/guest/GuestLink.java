package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one agent. Thread-safe. Two platform threads own the channel, so that no caller's interrupt can close it and
 * no blocked call holds a carrier of virtual threads.
 */
public final class GuestLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GuestLink.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int QUEUED_FRAMES = 256;
    private static final int BATCH_BYTES = 16 * Protocol.MAX_FRAME_BYTES;
    private static final int COMMAND_WINDOW = 1 << 18;
    private static final int FILE_WINDOW = 1 << 20;
    private static final Duration SEND_DEADLINE = Duration.ofSeconds(30);
    private static final Duration PING_DEADLINE = Duration.ofSeconds(30);

    private final String name;
    private final GuestChannel channel;
    private final LongSupplier oomKills;
    private final BlockingQueue<ByteBuffer> outgoing = new ArrayBlockingQueue<>(QUEUED_FRAMES);
    private final Map<Integer, GuestStream> streams = new ConcurrentHashMap<>();
    private final Map<Integer, GuestCommand> commands = new ConcurrentSkipListMap<>();
    private final Map<Long, CompletableFuture<Boolean>> pings = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Long>> queries = new ConcurrentHashMap<>();
    private final AtomicLong nextPing = new AtomicLong();
    private final AtomicInteger nextStream = new AtomicInteger(1);
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final AtomicReference<@Nullable SandglassException> lost = new AtomicReference<>();
    private final Thread writer;
    /** Of the agent's version; only the reader thread asks and sets it. */
    private boolean tellsRefusals;

    private GuestLink(String name, GuestChannel channel, LongSupplier oomKills) {
        this.name = name;
        this.oomKills = oomKills;
        this.channel = channel;
        this.writer = Thread.ofPlatform().daemon().name("guest-writer-" + name).unstarted(this::write);
    }

    /** Opens the link: greets the agent and learns of the commands that it runs. */
    public static GuestLink open(String name, GuestChannel channel, Greeting greeting, Duration deadline)
            throws InterruptedException {
        GuestLink link = new GuestLink(name, channel, greeting.oomKills());
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        link.writer.start();
        Thread.ofPlatform().daemon().name("guest-reader-" + name).start(() -> link.read(nonce));
        try {
            link.put(ByteBuffer.allocate(Protocol.MAX_FRAME_BYTES)); // the daemon before may have left half a frame: this ends it
            link.send(Protocol.HELLO, 0, greeting.encode(nonce));
            if (Futures.await(link.ready, deadline.toNanos(), TimeUnit.NANOSECONDS) == null) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT,
                        "The agent of " + name + " has not answered within " + deadline.toSeconds() + " s.",
                        "The machine may be overloaded; the sandbox's log is in its run directory.");
            }
            return link;
        } catch (SandglassException | InterruptedException failed) {
            link.close();
            throw failed;
        }
    }

    /** Starts a command; returns when its process runs. */
    public GuestCommand start(CommandStart start) throws InterruptedException {
        GuestCommand command = launch(start);
        awaitStarted(command);
        return command;
    }

    /** Starts a command with this caller as the reader of all its output from the beginning. */
    public GuestCommand startAttached(CommandStart start) throws InterruptedException {
        GuestCommand command = launch(start);
        command.stream().attach(0);
        awaitStarted(command);
        return command;
    }

    private GuestCommand launch(CommandStart start) {
        byte[] message = start.encode();
        GuestStream stream = open(COMMAND_WINDOW, Protocol.INITIAL_INPUT_CREDIT);
        if (!start.input() && start.pty().isEmpty()) {
            stream.closeInput();
        }
        stream.countKills(oomKills);
        GuestCommand command = new GuestCommand(start.facts(), stream);
        commands.put(stream.number(), command);
        try {
            send(Protocol.START, stream.number(), message);
        } catch (SandglassException stuck) {
            stream.abandon();
            throw stuck;
        }
        return command;
    }

    /** A start that is not awaited leaves nothing behind: nobody would know its number. */
    private void awaitStarted(GuestCommand command) throws InterruptedException {
        boolean answered;
        try {
            answered = Futures.await(command.stream().started(), SEND_DEADLINE.toNanos(), TimeUnit.NANOSECONDS) != null;
        } catch (InterruptedException nobodyWaits) {
            command.stream().abandon();
            throw nobodyWaits;
        }
        if (!answered) {
            command.stream().abandon();
            throw new SandglassException(
                    ErrorCode.GUEST_TIMEOUT,
                    "The agent of " + name + " has not started the command within " + SEND_DEADLINE.toSeconds() + " s.",
                    "The sandbox may be out of processor time; look for what runs in it.");
        }
    }

    /** Starts a file operation. */
    public GuestFile file(FileRequest request) {
        byte[] message = request.encode();
        GuestStream stream = open(FILE_WINDOW, Protocol.INITIAL_INPUT_CREDIT);
        stream.beginReading();
        send(Protocol.FILE, stream.number(), message);
        send(Protocol.CREDIT, stream.number(), ByteBuffer.allocate(4).putInt(FILE_WINDOW).array());
        return new GuestFile(stream);
    }

    /** Connects to a port on the sandbox's loopback; the stream is read with the token 1. */
    public GuestStream connect(int port) throws InterruptedException {
        GuestStream stream = open(FILE_WINDOW, 0);
        stream.beginReading();
        send(Protocol.CONNECT, stream.number(), ByteBuffer.allocate(2).putShort((short) port).array());
        send(Protocol.CREDIT, stream.number(), ByteBuffer.allocate(4).putInt(FILE_WINDOW).array());
        if (!stream.awaitInputCredit(SEND_DEADLINE)) {
            stream.close();
            throw new SandglassException(
                    ErrorCode.GUEST_TIMEOUT, "Port " + port + " has not answered.", "Check the service inside the sandbox.");
        }
        Optional<GuestEvent.Refused> refusal = stream.refusal();
        if (refusal.isPresent()) {
            throw new SandglassException(
                    ErrorCode.PORT_REFUSED,
                    "Port " + port + " of " + name + " refuses connections: " + refusal.get().text(),
                    "Start the service inside the sandbox, and have it listen on 127.0.0.1 or ::1.");
        }
        return stream;
    }

    /** The commands that run or are remembered, oldest first. */
    public Collection<GuestCommand> commands() {
        return commands.values();
    }

    public Optional<GuestCommand> command(int number) {
        return Optional.ofNullable(commands.get(number));
    }

    /** Tells the agent what has changed of its settings. */
    public void settle(Greeting changed) {
        send(Protocol.SETTINGS, 0, changed.encode());
        ping();
    }

    /** Tells the agent to end everything and itself: with TERM, and with KILL when the grace is over. Does not wait for it. */
    public void shutDown(Duration grace) {
        send(Protocol.SHUTDOWN, 0, ByteBuffer.allocate(4).putInt((int) grace.toMillis()).flip());
    }

    public boolean isOpen() {
        return lost.get() == null;
    }

    /** Ends the link; the agent and its commands go on. */
    @Override
    public void close() {
        lose(new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING, "The sandbox " + name + " is not running any more.", "See `sandglass inspect`."));
    }

    // -- for streams

    /** Whether an ERROR says what was refused. */
    boolean tellsRefusals() {
        return tellsRefusals;
    }

    void send(int type, int stream) {
        send(type, stream, ByteBuffer.allocate(0));
    }

    void send(int type, int stream, byte[] message) {
        ByteBuffer rest = ByteBuffer.wrap(message);
        while (rest.remaining() > Protocol.MAX_PAYLOAD_BYTES) {
            ByteBuffer part = rest.slice(rest.position(), Protocol.MAX_PAYLOAD_BYTES);
            rest.position(rest.position() + Protocol.MAX_PAYLOAD_BYTES);
            put(Frame.encode(type, true, stream, part));
        }
        send(type, stream, rest);
    }

    void send(int type, int stream, ByteBuffer payload) {
        put(Frame.encode(type, false, stream, payload));
    }

    /** Sends what matters only while the link lasts. */
    void sendIfOpen(int type, int stream, byte[] message) {
        try {
            send(type, stream, message);
        } catch (SandglassException lostOrStuck) {
            LOG.debug("not sent to {}", name, lostOrStuck);
        }
    }

    /** Sends it, however long the agent takes to hear, while the link lasts. */
    void insist(int type, int stream, byte[] message) {
        while (isOpen()) {
            try {
                send(type, stream, message);
                return;
            } catch (SandglassException lostOrStuck) {
                LOG.debug("not sent to {} yet", name, lostOrStuck);
            }
        }
    }

    /** A command that is not to be found any more, though its end is still to come. */
    void hide(GuestStream stream) {
        commands.remove(stream.number());
    }

    void forget(GuestStream stream) {
        streams.remove(stream.number(), stream);
        commands.remove(stream.number());
    }

    /** Returns when the agent has seen everything that was sent before, and all that it sent before has arrived. */
    void ping() {
        long id = nextPing.incrementAndGet();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        pings.put(id, answer);
        try {
            send(Protocol.PING, 0, ByteBuffer.allocate(8).putLong(id).flip());
            SandglassException problem = lost.get();
            if (problem != null) {
                answer.completeExceptionally(problem);
            }
            if (Futures.await(answer, PING_DEADLINE.toNanos(), TimeUnit.NANOSECONDS) == null) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT, "The agent of " + name + " does not answer.", "The sandbox may be overloaded.");
            }
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        } finally {
            pings.remove(id);
        }
    }

    /** Asks how far the output of a command has come. */
    long query(int stream) {
        CompletableFuture<Long> answer = queries.computeIfAbsent(stream, _ -> new CompletableFuture<>());
        try {
            send(Protocol.QUERY, stream);
            SandglassException problem = lost.get();
            if (problem != null) {
                answer.completeExceptionally(problem);
            }
            Long end = Futures.await(answer, PING_DEADLINE.toNanos(), TimeUnit.NANOSECONDS);
            if (end == null) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT, "The agent of " + name + " does not answer.", "The sandbox may be overloaded.");
            }
            return end;
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        } finally {
            queries.remove(stream, answer);
        }
    }

    private static SandglassException stopping(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
    }

    private GuestStream open(int window, long inputCredit) {
        GuestStream stream = new GuestStream(nextStream.getAndIncrement(), this, window, inputCredit);
        streams.put(stream.number(), stream);
        // The link may have been lost between a check and the put; then nobody else would tell this stream.
        SandglassException problem = lost.get();
        if (problem != null) {
            stream.lose(problem);
        }
        return stream;
    }

    private void put(ByteBuffer frame) {
        try {
            SandglassException problem = lost.get();
            if (problem != null) {
                throw new SandglassException(problem.code(), problem.what(), problem.hint(), problem);
            }
            if (!outgoing.offer(frame, SEND_DEADLINE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT,
                        "The agent of " + name + " has taken nothing for " + SEND_DEADLINE.toSeconds() + " s.",
                        "The sandbox may be out of processor time; look for what runs in it.");
            }
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    // -- the two threads

    /** Several frames go in one write: the call costs more than what it carries. */
    private void write() {
        ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
        try {
            while (isOpen()) {
                for (ByteBuffer frame = outgoing.take(); frame != null; frame = nextFor(batch)) {
                    batch.put(frame);
                }
                batch.flip();
                while (batch.hasRemaining()) {
                    channel.toGuest().write(batch);
                }
                batch.clear();
            }
        } catch (InterruptedException closed) {
            return;
        } catch (IOException | RuntimeException | Error problem) {
            broken(problem);
        }
    }

    private @Nullable ByteBuffer nextFor(ByteBuffer batch) {
        return batch.remaining() >= Protocol.MAX_FRAME_BYTES ? outgoing.poll() : null;
    }

    private void read(byte[] nonce) {
        try {
            FrameReader frames = new FrameReader(channel.fromGuest());
            MessageReader messages = new MessageReader();
            frames.synchronize(nonce);
            while (isOpen()) {
                Frame frame = messages.add(frames.next());
                if (frame != null) {
                    dispatch(frame);
                }
            }
        } catch (IOException | RuntimeException | Error problem) { // also when memory runs out: nobody else would tell the streams
            broken(problem);
        }
    }

    private void dispatch(Frame frame) throws IOException {
        switch (frame.type()) {
            case Protocol.WELCOME -> welcome(frame.payload());
            case Protocol.COMMAND -> adopt(frame.stream(), new FieldReader(frame.payload()));
            case Protocol.EXTENT -> {
                CompletableFuture<Long> asked = queries.get(frame.stream());
                if (asked != null && frame.payload().remaining() == 16) {
                    asked.complete(frame.payload().getLong(frame.payload().position() + 8));
                }
            }
            case Protocol.READY -> ready.complete(true);
            case Protocol.PONG -> {
                if (frame.payload().remaining() == 8) {
                    CompletableFuture<Boolean> answer = pings.get(frame.payload().getLong());
                    if (answer != null) {
                        answer.complete(true);
                    }
                }
            }
            default -> {
                GuestStream stream = streams.get(frame.stream());
                if (stream != null) {
                    stream.receive(frame); // else it was closed while this was on its way
                }
            }
        }
    }

    private void welcome(ByteBuffer payload) throws IOException {
        int head = Protocol.MAGIC.length + 16;
        if (ready.isDone() || payload.remaining() < head + 2) {
            throw new ProtocolException("WELCOME of " + payload.remaining() + " bytes (expected: >= " + (head + 2) + ", once)");
        }
        int version = Short.toUnsignedInt(payload.getShort(payload.position() + head));
        if (version < Protocol.FIRST_VERSION || version > Protocol.VERSION) {
            throw new ProtocolException(
                    "protocol version: " + version + " (expected: " + Protocol.FIRST_VERSION + " to " + Protocol.VERSION + ")");
        }
        tellsRefusals = version > Protocol.FIRST_VERSION;
        FieldReader facts = new FieldReader(payload.slice(payload.position() + head + 2, payload.remaining() - head - 2));
        long highest = facts.number(3);
        if (highest < 0 || highest > Integer.MAX_VALUE - (1 << 20)) {
            throw new ProtocolException("highest stream: " + highest);
        }
        nextStream.set((int) highest + 1);
    }

    private void adopt(int number, FieldReader fields) throws IOException {
        if (ready.isDone() || number == 0 || commands.size() >= 1 << 13) {
            throw new ProtocolException("COMMAND for stream " + number + " out of place");
        }
        long flags = fields.number(5);
        CommandFacts facts = new CommandFacts(fields.texts(6), fields.text(8), fields.text(9), (flags & 1) != 0);
        GuestStream stream = new GuestStream(number, this, COMMAND_WINDOW, fields.number(10));
        Optional<byte[]> end = fields.bytes(7);
        GuestExit exit = end.isPresent() ? GuestExit.decode(ByteBuffer.wrap(end.get())) : null;
        stream.adopted(new GuestStream.Started(fields.number(1), GuestExit.timeOf(fields.number(2))), exit, (flags & 2) != 0);
        streams.put(number, stream);
        stream.countKills(oomKills);
        commands.put(number, new GuestCommand(facts, stream));
        nextStream.accumulateAndGet(number + 1, Math::max);
    }

    private void broken(Throwable problem) {
        if (isOpen()) {
            LOG.warn("The link to {} broke: {}", name, problem.toString());
        }
        lose(new SandglassException(
                ErrorCode.GUEST_PROTOCOL,
                "The link to the agent of " + name + " broke: " + problem.getMessage(),
                "The sandbox was tampered with from inside, or it ended; `sandglass inspect` tells.",
                problem));
    }

    private void lose(SandglassException problem) {
        if (!lost.compareAndSet(null, problem)) {
            return;
        }
        writer.interrupt();
        try {
            channel.close();
        } catch (IOException ignoredAfterLoss) {
            LOG.debug("closing the channel of {}", name, ignoredAfterLoss);
        }
        ready.completeExceptionally(problem);
        pings.values().forEach(answer -> answer.completeExceptionally(problem));
        queries.values().forEach(answer -> answer.completeExceptionally(problem));
        streams.values().forEach(stream -> stream.lose(problem));
        outgoing.clear();
    }
}
