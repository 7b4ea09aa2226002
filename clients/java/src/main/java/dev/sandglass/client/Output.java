package dev.sandglass.client;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Lines;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.SandglassException;
import java.util.Base64;

/** The output of a command, read as it comes. When the connection breaks it is made again, and nothing is told twice. */
final class Output {
    /** A daemon that went away is waited for so long: it takes up its commands again when it comes back. */
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private static final long FIRST_PAUSE = 20;
    private static final long LONGEST_PAUSE = 1_000;

    /** Who is told what a command prints. */
    interface Listener {
        void printed(boolean error, byte[] bytes);

        /** So many bytes are missing here. */
        default void dropped(long bytes) {}
    }

    private final Daemon daemon;
    private final String sandbox;
    private final String command;
    private final Listener listener;
    private long offset;
    private long pause;
    private long brokenAt;

    Output(Daemon daemon, String sandbox, String command, Listener listener) {
        this.daemon = daemon;
        this.sandbox = sandbox;
        this.command = command;
        this.listener = listener;
    }

    /** Returns when the command has ended. */
    Exit follow() {
        while (true) {
            try (Client client = daemon.patient()) {
                return read(client.output(sandbox, command, true, offset));
            } catch (SandglassException problem) {
                waitIfItPasses(problem);
            }
        }
    }

    private Exit read(Lines<OutputEvent> lines) {
        for (OutputEvent event = lines.next(); event != null; event = lines.next()) {
            pause = 0;
            if (event.error() != null) {
                throw SandglassException.from(event.error());
            }
            if (event.exit() != null) {
                return event.exit();
            }
            if (event.dropped() != null) {
                offset += event.dropped();
                listener.dropped(event.dropped());
            }
            if (event.data() != null) {
                byte[] bytes = Base64.getDecoder().decode(event.data());
                offset += bytes.length;
                listener.printed("stderr".equals(event.stream()), bytes);
            }
        }
        throw new SandglassException(
                ErrorCode.DAEMON_UNREACHABLE, "The connection to the daemon ended before the command did", "The command may still run: start the daemon with `sandglass up`.");
    }

    private void waitIfItPasses(SandglassException problem) {
        boolean passing = problem.code() == ErrorCode.DAEMON_UNREACHABLE || problem.code() == ErrorCode.SHUTTING_DOWN;
        brokenAt = pause == 0 ? System.nanoTime() : brokenAt;
        if (!passing || System.nanoTime() - brokenAt > PATIENCE_NANOS || Thread.currentThread().isInterrupted()) {
            throw problem;
        }
        pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, pause * 2));
        try {
            Thread.sleep(pause);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw problem;
        }
    }
}
