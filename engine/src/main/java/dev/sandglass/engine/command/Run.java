package dev.sandglass.engine.command;

import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CreateSandbox;
import dev.sandglass.wire.RunSandbox;
import dev.sandglass.wire.RunStarted;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.StartCommand;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command with a sandbox of its own. One without a name goes when this is closed: it is never confirmed, so a daemon that finds it, because this one
 * died before, takes it away. Thread-safe.
 */
public final class Run implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Run.class);

    private final Sandboxes sandboxes;
    private final RunStarted started;
    private final boolean kept;
    private final Attachment attachment;
    private final AtomicBoolean ended = new AtomicBoolean();

    private Run(Sandboxes sandboxes, RunStarted started, boolean kept, Attachment attachment) {
        this.sandboxes = sandboxes;
        this.started = started;
        this.kept = kept;
        this.attachment = attachment;
    }

    /** Makes the sandbox and starts the command; returns when it runs. */
    public static Run begin(Sandboxes sandboxes, Commands commands, RunSandbox request) {
        boolean asImage = Boolean.TRUE.equals(request.entrypoint());
        if (!asImage) {
            Requests.of(request.command()); // no sandbox is made for a command that is none
        }
        CreateSandbox wanted = request.sandbox() == null ? CreateSandbox.of(null, null, Map.of()) : request.sandbox();
        boolean kept = wanted.name() != null;
        Sandbox sandbox = kept ? sandboxes.create(wanted) : sandboxes.createTentatively(wanted);
        try {
            Command command = commands.start(sandbox.id(), held(request.command(), asImage ? commands.words(sandbox.id(), request.command().argv()) : request.command().argv()));
            Attachment attachment = commands.attach(sandbox.id(), command.id(), 0, true);
            return new Run(sandboxes, new RunStarted(sandbox, command), kept, attachment);
        } catch (RuntimeException | Error problem) {
            if (!kept) {
                discard(sandboxes, sandbox, problem);
            }
            throw problem;
        }
    }

    /** All output is for the reader, who comes right after. */
    private static StartCommand held(StartCommand command, List<String> argv) {
        return new StartCommand(
                argv, command.env(), command.cwd(), command.user(), command.pty(), command.stdin(), true, command.timeoutMs());
    }

    private static void discard(Sandboxes sandboxes, Sandbox sandbox, Throwable cause) {
        try {
            sandboxes.discard(sandbox.id());
        } catch (RuntimeException another) {
            LOG.error("The sandbox {} of a run that failed could not be taken away; it is tried again", sandbox.id(), another);
            cause.addSuppressed(another);
        }
    }

    public RunStarted started() {
        return started;
    }

    /** The command's only reader from its first byte on. */
    public Attachment attachment() {
        return attachment;
    }

    /** Takes the sandbox away, unless it has a name. */
    public void end() {
        if (!kept && ended.compareAndSet(false, true)) {
            sandboxes.discard(started.sandbox().id());
        }
    }

    /** The same for a caller who can do nothing about a failure. */
    @Override
    public void close() {
        attachment.close();
        try {
            end();
        } catch (RuntimeException problem) {
            LOG.error("The sandbox {} of a run could not be taken away; it is tried again", started.sandbox().id(), problem);
        }
    }
}
