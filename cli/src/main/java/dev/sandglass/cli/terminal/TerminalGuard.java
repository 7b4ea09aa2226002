package dev.sandglass.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.CompletableFuture;

/**
 * A small process that puts the terminal back into its mode when this one is killed in a way that leaves it no time to. It waits for the end
 * of a pipe that only this process holds open. Thread-safe.
 *
 * <p>It has a session of its own, so that neither keys nor job control nor signals to this process's group reach it, and of this process's
 * descriptors none but the pipe, so that nobody who reads our output waits for it.
 */
public final class TerminalGuard {
    /** The terminal is opened before the session is left that it belongs to; what goes wrong here costs the guard and nothing else. */
    private static final String BEGIN = "exec 3< /dev/tty && exec setsid sh -c \"$1\" sandglass-guard \"$2\"";
    /** A terminal that is not raw any more was put in order by a shell, whose line editor may be at work on it. */
    private static final String WATCH = "read -r dismissed || case $(stty -a <&3) in *-opost*) stty \"$1\" <&3 ;; esac";

    private final CompletableFuture<OutputStream> pipe;

    /**
     * Begins in the background: it takes about as long as to reach the daemon, and nobody waits for it before {@link #await()}.
     *
     * @param settings the mode to come back to, as {@code stty -g} prints it
     */
    public TerminalGuard(String settings) {
        pipe = CompletableFuture.supplyAsync(() -> start(settings), work -> {
            Thread thread = new Thread(work, "terminal-guard");
            thread.setDaemon(true);
            thread.start();
        });
    }

    /** Waits until it has begun. */
    void await() {
        var _ = pipe.join();
    }

    /** The terminal is in order; there is nothing more to guard. */
    public void dismiss() {
        try (OutputStream out = pipe.join()) {
            out.write('\n');
        } catch (IOException goneAlready) {
            return;
        }
    }

    private static OutputStream start(String settings) {
        try {
            return new ProcessBuilder("/bin/sh", "-c", BEGIN, "sandglass-guard", WATCH, settings)
                    .directory(new File("/"))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start()
                    .getOutputStream();
        } catch (IOException noShell) {
            return OutputStream.nullOutputStream();
        }
    }
}
