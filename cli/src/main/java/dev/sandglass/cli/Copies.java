package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Sandbox;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a sandbox of which one may be kept: the others are removed when this is closed, or when the process is told to end before that, also while
 * they are still being made.
 */
final class Copies implements AutoCloseable {
    /** Whoever ends the process waits so long for copies that are on their way. */
    private static final int PATIENCE_SECONDS = 30;

    private final Client client;
    private final Console console;
    private final CompletableFuture<List<Sandbox>> made = new CompletableFuture<>();
    private final Thread hook = new Thread(this::remove, "remove-copies");
    private @Nullable String kept;
    private boolean gone;

    /** To be made before the copies are asked for. */
    Copies(Client client, Console console) {
        this.client = client;
        this.console = console;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** They are there. Does not wait for whoever removes them. */
    void are(List<Sandbox> all) {
        made.complete(all);
    }

    synchronized void keep(Sandbox one) {
        kept = one.id();
    }

    @Override
    public void close() {
        made.complete(List.of()); // unless they are there, they are not going to be
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endingAlready) {
            return;
        }
    }

    /** Whoever comes second waits until the first is done, so that the process does not end in between. */
    private synchronized void remove() {
        if (gone) {
            return;
        }
        gone = true;
        try (client) {
            made.get(PATIENCE_SECONDS, TimeUnit.SECONDS).stream().filter(copy -> !copy.id().equals(kept)).forEach(this::remove);
        } catch (TimeoutException | ExecutionException unknown) {
            console.warn("warning: copies that are being made could not be removed\nhint: `sandglass ls` shows them, `sandglass rm` removes them.\n");
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove(Sandbox copy) {
        try {
            client.destroy(copy.id());
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                console.warn("warning: the sandbox " + copy.name() + " could not be removed: " + Inert.lines(problem.what())
                        + "\nhint: Remove it with `sandglass rm " + copy.name() + "`.\n");
            }
        }
    }
}
