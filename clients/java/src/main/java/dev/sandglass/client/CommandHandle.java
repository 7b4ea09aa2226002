package dev.sandglass.client;

import dev.sandglass.client.http.Body;
import dev.sandglass.client.http.Streamed;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A command that was started and goes on by itself. Thread-safe. */
public class CommandHandle {
    private static final String BYTES = "application/octet-stream";

    final Daemon daemon;
    final String sandbox;
    private final String commandId;
    private final long pid;
    private @Nullable CompletableFuture<CommandResult> following;

    CommandHandle(Daemon daemon, String sandbox, Command command) {
        this.daemon = daemon;
        this.sandbox = sandbox;
        this.commandId = command.id();
        this.pid = command.pid();
    }

    /** By which it is found again. */
    public String commandId() {
        return commandId;
    }

    /** As seen inside the sandbox. */
    public long pid() {
        return pid;
    }

    /** Waits for its end. What it printed before is in the result too, as far as it is kept. */
    public CommandResult waitFor() {
        CompletableFuture<CommandResult> begun = following();
        if (begun == null) {
            Gathering gathering = new Gathering(null, null);
            return gathering.result(new Output(daemon, sandbox, commandId, gathering).follow());
        }
        try {
            return begun.get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SandglassException(ErrorCode.INTERNAL, "Interrupted while waiting for " + commandId, "It may still run: wait again, or kill it.", stopped);
        } catch (ExecutionException problem) {
            throw problem.getCause() instanceof RuntimeException known ? known : new CompletionException(problem.getCause());
        }
    }

    /** Ends it and all that it started; false if it has ended already. */
    public boolean kill() {
        return kill("KILL");
    }

    /** Sends it a signal; false if it has ended already. */
    public boolean kill(String signal) {
        return Commands.kill(daemon, sandbox, commandId, signal);
    }

    /** Writes to its standard input; waits while the command does not take it. */
    public void sendStdin(String text) {
        sendStdin(text.getBytes(StandardCharsets.UTF_8));
    }

    public void sendStdin(byte[] data) {
        send(Body.of(BYTES, data), false);
    }

    public void sendStdin(InputStream data) {
        send(new Streamed(BYTES, -1, data::transferTo), false);
    }

    /** Tells it that no more input comes. */
    public void closeStdin() {
        send(Body.of(BYTES, new byte[0]), true);
    }

    /** Tells who wants to hear it what it prints, from now on and in a thread of its own. */
    synchronized void followWith(RunOptions how) {
        Gathering gathering = new Gathering(how.onStdout, how.onStderr);
        follow(() -> gathering.result(new Output(daemon, sandbox, commandId, gathering).follow()));
    }

    synchronized void follow(Supplier<CommandResult> work) {
        following = CompletableFuture.supplyAsync(work, task -> thread("command-output", task));
    }

    /** As a shell has it: input that it did not read before its end is dropped, and its own status tells. */
    void feed(@Nullable InputStream input) {
        if (input != null) {
            thread("command-input", () -> {
                try {
                    send(new Streamed(BYTES, -1, input::transferTo), true);
                } catch (SandglassException endedBeforeItReadAll) {
                    return;
                }
            });
        }
    }

    private synchronized @Nullable CompletableFuture<CommandResult> following() {
        return following;
    }

    private void send(Body data, boolean end) {
        daemon.askPatiently(client -> {
            client.running().input(sandbox, commandId, data, end);
            return true;
        });
    }

    private static void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
