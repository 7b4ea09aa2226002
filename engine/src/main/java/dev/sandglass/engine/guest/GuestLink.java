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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one agent. Thread-safe. Two platform threads own the channel, one of them the outbox's, so that no caller's interrupt can close it and
 * no blocked call holds a carrier of virtual threads.
 */
public final class GuestLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GuestLink.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int COMMAND_WINDOW = 1 << 18;
    private static final int FILE_WINDOW = 1 << 20;
    /** There may be thousands of connections at once, whose other sides are slow. */
    private static final int CONNECTION_WINDOW = 1 << 17;
    /** What the agent may say of the commands that it has, all together: many times what honest ones come to. */
    private static final long COMMAND_BYTES = 64 << 20;

    private final String name;
    private final GuestChannel channel;
    private final LongSupplier oomKills;
    private final Outbox outbox;
    private final Questions questions;
    private final Starts starts;
    private final Map<Integer, GuestStream> streams = new ConcurrentHashMap<>();
    private final Map<Integer, GuestCommand> commands = new ConcurrentSkipListMap<>();
    private final AtomicInteger nextStream = new AtomicInteger(1);
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final AtomicReference<@Nullable SandglassException> lost = new AtomicReference<>();
    private volatile long lastUse = System.nanoTime();
    private volatile int longestFrame = Protocol.MAX_FRAME_BYTES;
    private volatile boolean knowsServices;
    private volatile Consumer<ServiceFacts> serviceWatcher = _ -> {};
    /** The reader thread's own. */
    private long commandBytes;

    private GuestLink(String name, GuestChannel channel, LongSupplier oomKills) {
        this.name = name;
        this.oomKills = oomKills;
        this.channel = channel;
        this.outbox = new Outbox(name, channel.toGuest(), this::broken);
        this.questions = new Questions(name, outbox);
        this.starts = new Starts(name);
    }

    /** One that has no threads: nothing of what is asked for goes out, and the caller follows what the agent says. */
    static GuestLink still(String name, GuestChannel channel) {
        return new GuestLink(name, channel, () -> 0);
    }

    /** Opens the link: greets the agent and learns of the commands that it runs. */
    public static GuestLink open(String name, GuestChannel channel, Greeting greeting, Duration deadline)
            throws InterruptedException {
        GuestLink link = new GuestLink(name, channel, greeting.oomKills());
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        link.outbox.open();
        Thread.ofPlatform().daemon().name("guest-reader-" + name).start(() -> link.read(nonce));
        try {
            link.outbox.put(ByteBuffer.allocate(Protocol.MAX_LONG_FRAME_BYTES)); // the daemon before may have left half a frame: this ends it
            link.outbox.send(Protocol.HELLO, 0, greeting.encode(nonce));
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
        GuestStream stream = open(COMMAND_WINDOW, Protocol.INITIAL_INPUT_CREDIT, true);
        if (!start.input() && start.pty().isEmpty()) {
            stream.closeInput();
        }
        stream.countKills(oomKills);
        GuestCommand command = new GuestCommand(start.facts(), stream);
        try {
            numbered.accept(stream.number());
        } catch (RuntimeException refused) {
            forget(stream);
            throw refused;
        }
        commands.put(stream.number(), command);
        request(Protocol.START, stream, message);
        return command;
    }

    /** Nothing is left of a request that cannot be sent. */
    private void request(int type, GuestStream stream, byte[] message) {
        try {
            outbox.send(type, stream.number(), message);
        } catch (SandglassException stuck) {
            stream.forget();
            throw isOpen() ? stuck : new UnsentException(stuck);
        }
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

    /** Starts a file operation. */
    public GuestFile file(FileRequest request) {
        return file(request, true);
    }

    /** The same for the daemon's own ends: it is no use of the sandbox, which may go to rest as if nothing had been asked. */
    public GuestFile ask(FileRequest request) {
        return file(request, false);
    }

    private GuestFile file(FileRequest request, boolean isUse) {
        return operation(Protocol.FILE, request.encode(), isUse, Errno::fileRefused);
    }

    /** Asks something about services; {@code conflict} if the agent knows of none. */
    public GuestFile service(ServiceRequest request) {
        if (!knowsServices) {
            throw new SandglassException(
                    ErrorCode.CONFLICT,
                    "The agent of " + name + " is of an earlier version and knows of no services.",
                    "Stop and start the sandbox, and it gets the agent of this version.");
        }
        return operation(Protocol.SERVICE, request.encode(), true, Errno::serviceRefused);
    }

    private GuestFile operation(int type, byte[] message, boolean isUse, GuestFile.Meaning meaning) {
        GuestStream stream = openShortLived(FILE_WINDOW, Protocol.INITIAL_INPUT_CREDIT, isUse);
        GuestReader reader = stream.read();
        request(type, stream, message);
        giveWindow(stream, FILE_WINDOW);
        return new GuestFile(reader, meaning);
    }

    /**
     * The sandbox is somebody's: its enabled services are started, once in the life of the agent.
     *
     * @param watcher told of every change of a service, by the link's reader thread, which must not wait
     */
    public void beginServices(Consumer<ServiceFacts> watcher) {
        serviceWatcher = watcher;
        if (knowsServices) {
            outbox.sendIfOpen(Protocol.SETTINGS, 0, Greeting.withServices());
        }
    }

    private void giveWindow(GuestStream stream, int window) {
        try {
            outbox.send(Protocol.CREDIT, stream.number(), ByteBuffer.allocate(4).putInt(window).array());
        } catch (SandglassException stuck) {
            stream.forget();
            outbox.takeBack(stream.number());
            throw stuck;
        }
    }

    /** Connects to a port on the sandbox's loopback; the caller is the reader. */
    public GuestReader connect(int port) throws InterruptedException {
        GuestStream stream = openShortLived(CONNECTION_WINDOW, 0, true);
        GuestReader reader = stream.read();
        request(Protocol.CONNECT, stream, ByteBuffer.allocate(2).putShort((short) port).array());
        giveWindow(stream, CONNECTION_WINDOW);
        if (!connected(stream)) {
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
        return reader;
    }

    /** Nothing is left of a connection for which nobody waits. */
    private static boolean connected(GuestStream stream) throws InterruptedException {
        try {
            return stream.awaitInputCredit(Outbox.DEADLINE);
        } catch (InterruptedException nobodyWaits) {
            stream.close();
            throw nobodyWaits;
        }
    }

    /** The commands that run or are remembered, oldest first. */
    public Collection<GuestCommand> commands() {
        return commands.values();
    }

    public Optional<GuestCommand> command(int number) {
        return Optional.ofNullable(commands.get(number));
    }

    /** Numbers that were given before, though the agent may not have heard of them, are not given again. Called before anything is started. */
    public void numberAbove(int highest) {
        nextStream.accumulateAndGet(highest + 1, Math::max);
    }

    /** The highest number that this link, which is lost, has given. Who still uses it gets numbers that no other link gives. */
    public int retire() {
        return nextStream.getAndSet(Integer.MIN_VALUE) - 1;
    }

    /** Tells the agent what has changed of its settings. */
    public void settle(Greeting changed) {
        outbox.send(Protocol.SETTINGS, 0, changed.encode());
        questions.ping();
    }

    /** Lets the agent be looked into, which the host's capture of it needs; a new link closes it again. */
    public void open() {
        outbox.send(Protocol.SETTINGS, 0, Greeting.opened(true));
    }

    /** Lets nobody look into the agent, if the link lasts. */
    public void shut() {
        outbox.sendIfOpen(Protocol.SETTINGS, 0, Greeting.opened(false));
    }

    /**
     * Sends nothing until it is closed, and returns when the agent has acted on all that was sent: what is still on its way when
     * memory is captured would be acted on by every copy too.
     */
    public Hold hold() {
        return questions.hold();
    }

    /** Tells the agent to end everything and itself: with TERM, and with KILL when the grace is over. Does not wait for it. */
    public void shutDown(Duration grace) {
        outbox.send(Protocol.SHUTDOWN, 0, ByteBuffer.allocate(4).putInt((int) grace.toMillis()).flip());
    }

    /** For how long nothing has run, moved or been asked for, of an earlier daemon either; nothing while something does. */
    public Duration idle() {
        return isBusy() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - lastUse);
    }

    /** Whether something runs or is open. */
    public boolean isBusy() {
        return streams.values().stream().anyMatch(stream -> stream.isUse() && !stream.exit().isDone());
    }

    /** Somebody uses it now. */
    public void use() {
        lastUse = System.nanoTime();
    }

    public boolean isOpen() {
        return lost.get() == null;
    }

    /** For who has not asked anything yet, and may ask another link. */
    public void requireOpen() throws UnsentException {
        SandglassException problem = lost.get();
        if (problem != null) {
            throw new UnsentException(problem);
        }
    }

    /** Ends the link; the agent and its commands go on. */
    @Override
    public void close() {
        lose(new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING, "The sandbox " + name + " is not running any more.", "See `sandglass inspect`."));
    }

    /**
     * Ends the link to a sandbox that is turned back.
     *
     * @param lasting whether a command goes on, because it ran already in the state to which the sandbox goes back
     */
    public void turnBack(Predicate<GuestStream.Started> lasting) {
        for (GuestCommand command : commands.values()) {
            CompletableFuture<GuestStream.Started> started = command.stream().started();
            if (started.state() == Future.State.SUCCESS && !command.finished() && !lasting.test(started.resultNow())) {
                command.stream().turnBack();
            }
        }
        lose(turnedBack());
    }

    SandglassException turnedBack() {
        return new SandglassException(
                ErrorCode.SANDBOX_NOT_RUNNING,
                "The sandbox " + name + " was turned back.",
                "What ran in that state already runs again: list the commands, and attach to it.");
    }

    /** The highest number that was given to a command or another stream. */
    public int highest() {
        return nextStream.get() - 1;
    }

    // -- for streams

    Outbox outbox() {
        return outbox;
    }

    Questions questions() {
        return questions;
    }

    /** A command that is not to be found any more, though its end is still to come. */
    void hide(GuestStream stream) {
        commands.remove(stream.number());
    }

    void forget(GuestStream stream) {
        used(stream);
        streams.remove(stream.number(), stream);
        commands.remove(stream.number());
    }

    /** Something has come of what was asked for. */
    void used(GuestStream stream) {
        if (stream.isUse()) {
            use();
        }
    }

    /** One that ends with this daemon: half a frame that it leaves there, and the zeros of the next daemon behind it, are read by nobody. */
    private GuestStream openShortLived(int window, long inputCredit, boolean isUse) {
        GuestStream stream = open(window, inputCredit, isUse);
        stream.lengthen(longestFrame);
        return stream;
    }

    private GuestStream open(int window, long inputCredit, boolean isUse) {
        GuestStream stream = new GuestStream(nextStream.getAndIncrement(), this, window, inputCredit, isUse);
        used(stream);
        streams.put(stream.number(), stream);
        // The link may have been lost between a check and the put; then nobody else would tell this stream.
        SandglassException problem = lost.get();
        if (problem != null) {
            stream.lose(problem);
        }
        return stream;
    }

    // -- the reader thread

    private void read(byte[] nonce) {
        try {
            FrameReader frames = new FrameReader(channel.fromGuest());
            frames.synchronize(nonce);
            follow(frames);
        } catch (IOException | RuntimeException | Error problem) { // also when memory runs out: nobody else would tell the streams
            broken(problem);
        }
    }

    /** Acts on what the agent says for as long as the link lasts. */
    void follow(FrameReader frames) throws IOException {
        MessageReader messages = new MessageReader();
        while (isOpen()) {
            Frame frame = messages.add(frames.next());
            if (frame != null) {
                dispatch(frame);
            }
        }
    }

    private void dispatch(Frame frame) throws IOException {
        switch (frame.type()) {
            case Protocol.WELCOME -> welcome(frame.payload());
            case Protocol.COMMAND -> {
                commandBytes += frame.payload().remaining();
                adopt(frame.stream(), new FieldReader(frame.payload()));
            }
            case Protocol.EXTENT -> questions.extent(frame.stream(), frame.payload());
            case Protocol.READY -> ready.complete(true);
            case Protocol.PONG -> questions.pong(frame.payload());
            case Protocol.SERVICE_CHANGED -> serviceWatcher.accept(ServiceFacts.of(new FieldReader(frame.payload())));
            default -> {
                GuestStream stream = streams.get(frame.stream());
                if (stream != null) {
                    stream.receive(frame); // else it was closed while this was on its way
                }
            }
        }
    }

    private void welcome(ByteBuffer payload) throws IOException {
        if (ready.isDone()) {
            throw new ProtocolException("WELCOME more than once");
        }
        Welcome welcome = Welcome.decode(payload);
        nextStream.set(welcome.highestStream() + 1);
        longestFrame = welcome.longestFrame();
        knowsServices = welcome.services();
        lastUse = System.nanoTime() - welcome.idle().toNanos(); // an earlier daemon may have been used
    }

    private void adopt(int number, FieldReader fields) throws IOException {
        if (ready.isDone() || number == 0 || commands.size() >= 1 << 13 || commandBytes > COMMAND_BYTES) {
            throw new ProtocolException("COMMAND for stream " + number + " out of place");
        }
        long flags = fields.number(5);
        CommandFacts facts = new CommandFacts(fields.texts(6), fields.text(8), fields.text(9), (flags & 1) != 0);
        GuestStream stream = new GuestStream(number, this, COMMAND_WINDOW, fields.number(10), true);
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
                problem instanceof ProtocolException broken ? broken.hint() : ProtocolException.USUAL_HINT,
                problem));
    }

    private void lose(SandglassException problem) {
        if (!lost.compareAndSet(null, problem)) {
            return;
        }
        outbox.lose(problem);
        try {
            channel.close();
        } catch (IOException ignoredAfterLoss) {
            LOG.debug("closing the channel of {}", name, ignoredAfterLoss);
        }
        ready.completeExceptionally(problem);
        questions.lose(problem);
        streams.values().forEach(stream -> stream.lose(problem));
    }
}
