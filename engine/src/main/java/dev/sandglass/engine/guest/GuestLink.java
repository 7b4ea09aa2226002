package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
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
    /** Between looks at the process of an agent that has not answered yet. */
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int FILE_WINDOW = 1 << 20;
    /** There may be thousands of connections at once, whose other sides are slow. */
    private static final int CONNECTION_WINDOW = 1 << 17;
    /** Agents begin with what our own sentence begins with. */
    private static final Pattern AGENTS_PORT = Pattern.compile("^port [0-9]+: ");

    private final String name;
    private final GuestChannel channel;
    private final Outbox outbox;
    private final Questions questions;
    private final GuestStreams streams;
    private final GuestCommands commands;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final AtomicReference<@Nullable SandglassException> lost = new AtomicReference<>();
    private volatile int longestFrame = Protocol.MAX_FRAME_BYTES;
    private volatile boolean knowsServices;
    private volatile Consumer<ServiceFacts> serviceWatcher = _ -> {};

    private GuestLink(String name, GuestChannel channel, LongSupplier oomKills) {
        this.name = name;
        this.channel = channel;
        this.outbox = new Outbox(name, channel.toGuest(), this::broken);
        this.questions = new Questions(name, outbox);
        this.streams = new GuestStreams(name, outbox, questions, lost::get);
        this.commands = new GuestCommands(name, streams, oomKills);
    }

    /** One that has no threads: nothing of what is asked for goes out, and the caller follows what the agent says. */
    static GuestLink still(String name, GuestChannel channel) {
        return new GuestLink(name, channel, () -> 0);
    }

    /** Opens the link: greets the agent and learns of the commands that it runs. */
    public static GuestLink open(String name, GuestChannel channel, Greeting greeting, Duration deadline)
            throws InterruptedException {
        return open(name, channel, greeting, deadline, () -> true);
    }

    /**
     * The same with an agent whose process may end before it answers, of which the channel says nothing.
     *
     * @param lives asked now and then while there is no answer
     */
    public static GuestLink open(String name, GuestChannel channel, Greeting greeting, Duration deadline, BooleanSupplier lives) throws InterruptedException {
        GuestLink link = new GuestLink(name, channel, greeting.oomKills());
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        link.outbox.open();
        Thread.ofPlatform().daemon().name("guest-reader-" + name).start(() -> link.read(nonce));
        try {
            link.outbox.put(ByteBuffer.allocate(Protocol.MAX_LONG_FRAME_BYTES)); // the daemon before may have left half a frame: this ends it
            link.outbox.send(Protocol.HELLO, 0, greeting.encode(nonce));
            link.awaitAnswer(deadline, lives);
            return link;
        } catch (SandglassException | InterruptedException failed) {
            link.close();
            throw failed;
        }
    }

    private void awaitAnswer(Duration deadline, BooleanSupplier lives) throws InterruptedException {
        long end = System.nanoTime() + deadline.toNanos();
        for (long left = deadline.toNanos(); Futures.await(ready, Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS) == null; left = end - System.nanoTime()) {
            if (left <= 0) {
                throw new SandglassException(
                        ErrorCode.GUEST_TIMEOUT,
                        "The agent of " + name + " has not answered within " + deadline.toSeconds() + " s.",
                        "The machine may be overloaded; the sandbox's log is in its run directory.");
            }
            if (!lives.getAsBoolean()) {
                throw new SandglassException(ErrorCode.GUEST_PROTOCOL, "The agent of " + name + " has ended.", "The sandbox's log is in its run directory.");
            }
        }
    }

    /** The commands of the sandbox. */
    public GuestCommands commands() {
        return commands;
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
        streams.request(type, stream, message);
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
        streams.request(Protocol.CONNECT, stream, ByteBuffer.allocate(2).putShort((short) port).array());
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
                    "Port " + port + " of " + name + " refuses connections: " + AGENTS_PORT.matcher(refusal.get().text()).replaceFirst(""),
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

    /** Numbers that were given before, though the agent may not have heard of them, are not given again. Called before anything is started. */
    public void numberAbove(int highest) {
        streams.numberAbove(highest);
    }

    /** The highest number that was given to a command or another stream. */
    public int highest() {
        return streams.highest();
    }

    /** The highest number that this link, which is lost, has given. Who still uses it gets numbers that no other link gives. */
    public int retire() {
        return streams.retire();
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
        return streams.idle();
    }

    /** Whether something runs or is open. */
    public boolean isBusy() {
        return streams.isBusy();
    }

    /** Somebody uses it now. */
    public void use() {
        streams.use();
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
        commands.turnBack(lasting);
        lose(streams.turnedBack());
    }

    /** For tests, which say what no caller would. */
    Outbox outbox() {
        return outbox;
    }

    /** One that ends with this daemon: half a frame that it leaves there, and the zeros of the next daemon behind it, are read by nobody. */
    private GuestStream openShortLived(int window, long inputCredit, boolean isUse) {
        GuestStream stream = streams.open(window, inputCredit, isUse);
        stream.lengthen(longestFrame);
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
                if (ready.isDone()) {
                    throw GuestCommands.outOfPlace(frame.stream());
                }
                commands.adopt(frame.stream(), frame.payload());
            }
            case Protocol.EXTENT -> questions.extent(frame.stream(), frame.payload());
            case Protocol.READY -> ready.complete(true);
            case Protocol.PONG -> questions.pong(frame.payload());
            case Protocol.SERVICE_CHANGED -> serviceWatcher.accept(ServiceFacts.of(new FieldReader(frame.payload())));
            default -> {
                Optional<GuestStream> stream = streams.find(frame.stream());
                if (stream.isPresent()) {
                    stream.get().receive(frame); // else it was closed while this was on its way
                }
            }
        }
    }

    private void welcome(ByteBuffer payload) throws IOException {
        if (ready.isDone()) {
            throw new ProtocolException("WELCOME more than once");
        }
        Welcome welcome = Welcome.decode(payload);
        streams.begin(welcome.highestStream() + 1, welcome.idle());
        longestFrame = welcome.longestFrame();
        knowsServices = welcome.services();
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
        streams.lose(problem);
    }
}
