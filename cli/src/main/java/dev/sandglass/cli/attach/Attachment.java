package dev.sandglass.cli.attach;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.http.WebSocket;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.AttachControl;
import dev.sandglass.wire.AttachEvent;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.RunStarted;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.WindowSize;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** This process joined to a command of a sandbox until the command ends. */
public final class Attachment {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;
    private static final int EVENT = 4;
    private static final long PING_MILLIS = 20_000;

    private final Client client;
    private final String sandbox;
    private final String command;
    private final Output output;
    private final boolean lasting;
    private final Join join = new Join();
    private @Nullable WebSocket begun;
    private @Nullable InputFeed feed;
    private final Patience patience = new Patience();
    private long offset;
    private String lineEnd = "\n";
    private volatile boolean left;

    public Attachment(Client client, String sandbox, String command, OutputStream stdout, OutputStream stderr) {
        this(client, sandbox, command, null, true, stdout, stderr);
    }

    /**
     * @param begun a connection on which the command is told of already
     * @param lasting whether the command outlives its connection
     */
    private Attachment(
            Client client, String sandbox, String command, @Nullable WebSocket begun, boolean lasting, OutputStream stdout, OutputStream stderr) {
        this.client = client;
        this.sandbox = sandbox;
        this.command = command;
        this.begun = begun;
        this.lasting = lasting;
        this.output = new Output(stdout, stderr, () -> signal("PIPE"));
    }

    /** A sandbox that was made for a command, and this process joined to that. */
    public record Begun(Sandbox sandbox, Attachment attachment) {}

    /** Makes a sandbox and runs a command in it; unless it has a name, both go with the connection. */
    public static Begun run(Client client, RunSandbox request, OutputStream stdout, OutputStream stderr) {
        WebSocket socket = client.run(request);
        RunStarted started;
        try {
            started = started(socket);
        } catch (IOException problem) {
            throw lost(problem);
        }
        Sandbox made = started.sandbox();
        boolean kept = request.sandbox() != null && request.sandbox().name() != null;
        return new Begun(made, new Attachment(client, made.id(), started.command().id(), socket, kept, stdout, stderr));
    }

    private static RunStarted started(WebSocket socket) throws IOException {
        socket.receive();
        if (socket.length() == 0 || socket.message()[0] != EVENT) {
            throw new IOException("the first message does not tell what was started");
        }
        AttachEvent event = Json.read(AttachEvent.class, Arrays.copyOfRange(socket.message(), 1, socket.length()));
        if (event.error() != null) {
            throw SandglassException.from(event.error());
        }
        if (event.started() == null) {
            throw new IOException("the first message does not tell what was started");
        }
        return event.started();
    }

    private static SandglassException lost(Exception problem) {
        return new SandglassException(
                ErrorCode.DAEMON_UNREACHABLE,
                "The connection to the daemon broke: " + problem.getMessage(),
                "The command and its sandbox go with the connection, unless the sandbox has a name.",
                problem);
    }

    public String sandbox() {
        return sandbox;
    }

    public String command() {
        return command;
    }

    /** Carries this input to the command from now on. */
    public void feed(InputStream in) {
        InputFeed started = new InputFeed(in, join);
        feed = started;
        daemon("stdin", started);
    }

    /** Carries what is typed on a raw terminal; some keys leave the command instead, see {@link TypedInput}. */
    public void type(InputStream in, boolean detachable) {
        lineEnd = "\r\n";
        daemon("stdin", new TypedInput(in, join, detachable, this::leave));
    }

    /** Tells somebody who can leave when the connection breaks and when it is there again; so there is time. */
    public void interactive(Runnable broken, Runnable again) {
        patience.interactive(broken, again);
    }

    /** Ends the waiting; the command goes on. */
    public void leave() {
        left = true;
        join.broken();
    }

    public void resize(WindowSize size) {
        var _ = join.control(new AttachControl(size, null, null));
    }

    /** Sends a signal on a connection of its own, since input that the command does not read may fill this one. */
    public void signal(String name) {
        try (Client other = client.again()) {
            other.signal(sandbox, command, name);
        } catch (SandglassException endedMeanwhile) {
            return;
        }
    }

    /** Waits for the end; when the connection breaks, makes it again and goes on from the last byte. Null when left. */
    public @Nullable Exit await() {
        daemon("ping", this::keepAlive);
        try {
            while (!left) {
                try {
                    WebSocket socket = connected();
                    join.opened(socket);
                    patience.connected();
                    if (patience.used() && feed != null && feed.ended()) {
                        var _ = join.control(new AttachControl(null, null, true));
                    }
                    return read(socket);
                } catch (SandglassException problem) {
                    if (problem.code() != ErrorCode.SHUTTING_DOWN) {
                        throw problem;
                    }
                    waitIfLasting(problem);
                } catch (IOException problem) {
                    waitIfLasting(problem);
                }
            }
            return null;
        } finally {
            join.over();
        }
    }

    private WebSocket connected() throws IOException {
        WebSocket first = begun;
        begun = null;
        return first != null ? first : client.attach(sandbox, command, offset);
    }

    /** What goes with its connection is not there when that is made again. */
    private void waitIfLasting(Exception problem) {
        if (!lasting) {
            throw lost(problem);
        }
        join.broken();
        if (!left) {
            patience.spend(problem);
        }
    }

    private Exit read(WebSocket socket) throws IOException {
        while (true) {
            socket.receive();
            patience.renew();
            byte[] message = socket.message();
            int length = socket.length();
            if (length == 0) {
                throw new IOException("empty message");
            }
            switch (message[0]) {
                case STDOUT, STDERR -> {
                    output.write(message[0] == STDERR, message, 1, length - 1);
                    offset += length - 1;
                }
                case EVENT -> {
                    AttachEvent event = Json.read(AttachEvent.class, Arrays.copyOfRange(message, 1, length));
                    Problem error = event.error();
                    if (event.exit() != null) {
                        if (error != null) {
                            note("warning: the sandbox could not be removed: " + Inert.text(error.message()));
                        }
                        return event.exit();
                    }
                    if (error != null && ErrorCode.of(error.code()) != ErrorCode.STDIN_CLOSED) {
                        throw SandglassException.from(error);
                    }
                    if (event.dropped() != null) {
                        offset += event.dropped();
                        note(Gap.text(event.dropped()));
                    }
                }
                default -> throw new IOException("unknown message " + message[0]);
            }
        }
    }

    private void note(String text) {
        byte[] note = (text + lineEnd).getBytes(StandardCharsets.UTF_8);
        output.write(true, note, 0, note.length);
    }

    private void keepAlive() {
        try {
            do {
                Thread.sleep(PING_MILLIS);
            } while (join.ping());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
