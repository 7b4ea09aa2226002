package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.CommandFacts;
import dev.sandglass.engine.guest.CommandStart;
import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.engine.ledger.IdempotencyKey;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.LiveSandboxes;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The commands of sandboxes. Thread-safe; calls block. */
public final class Commands {
    private static final int KEPT_FINISHED = 64;

    private final LiveSandboxes sandboxes;
    private final Chronicle chronicle;
    private final KeyedCommands keyed;

    public Commands(LiveSandboxes sandboxes, Ledger ledger) {
        this.sandboxes = sandboxes;
        this.chronicle = new Chronicle(ledger);
        this.keyed = new KeyedCommands(ledger);
        sandboxes.watch(chronicle::resume);
    }

    /** A command that was started, and its first reader. */
    private record Begun(LiveSandbox in, GuestReader reader) {}

    /** A command, and the sandbox in which it is. */
    private record Found(LiveSandbox in, GuestCommand command) {}

    /** Starts a command and leaves it running. */
    public Command start(String sandbox, StartCommand request) {
        CommandStart start = Requests.of(request);
        try {
            return sandboxes.use(sandbox, in -> {
                Failpoint.EXEC_BEGUN.reach();
                forgetOld(in);
                GuestCommand command = in.link().commands().start(Requests.in(in.record().commandDefaults(), start));
                Failpoint.EXEC_STARTED.reach();
                chronicle.follow(in, command);
                return view(in, command);
            });
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    /** Starts a command, or gives the one back that was started with the same key. */
    public Command startOnce(String sandbox, StartCommand request, String key) {
        IdempotencyKey once = IdempotencyKey.of(key, "start " + Json.write(request));
        CommandStart start = Requests.of(request);
        LiveSandbox in = begin(sandbox);
        try {
            return view(in, keyed.startOnce(in, once, numbered -> launch(in, start, numbered)));
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    /** What a run of a sandbox executes as its image says. */
    List<String> words(String sandbox, List<String> given) {
        List<String> words = sandboxes.running(sandbox).record().commandDefaults().words(given);
        if (words.isEmpty()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "The image says no command, and none was given.", "Name the program to run.");
        }
        return words;
    }

    private LiveSandbox begin(String sandbox) {
        LiveSandbox in = sandboxes.running(sandbox);
        Failpoint.EXEC_BEGUN.reach();
        return in;
    }

    /** Asks for a command that stays when its caller goes, whether it runs in time or not. */
    private GuestCommand launch(LiveSandbox in, CommandStart start, IntConsumer numbered) {
        forgetOld(in);
        GuestCommand command = in.link().commands().launch(Requests.in(in.record().commandDefaults(), start), numbered);
        chronicle.follow(in, command);
        return command;
    }

    /**
     * Runs a command to its end and returns what it printed, within the limit.
     *
     * @param abandoned whether an interrupt means that nobody wants the result any more: then the command is killed
     */
    public CommandResult run(String sandbox, RunCommand request, BooleanSupplier abandoned) {
        CommandStart start = Requests.of(request);
        String input = request.stdin();
        Gathering gathering = new Gathering(request);
        try {
            Begun begun = sandboxes.use(sandbox, in -> {
                Failpoint.EXEC_BEGUN.reach();
                return new Begun(in, in.link().commands().startAttached(Requests.in(in.record().commandDefaults(), start)));
            });
            GuestReader reader = begun.reader();
            Failpoint.EXEC_STARTED.reach();
            if (input != null) {
                Thread.ofVirtual().start(() -> feed(reader.stream(), input));
            }
            try {
                gathering.gather(reader);
            } finally {
                part(reader, abandoned);
            }
            Failpoint.EXEC_ENDED.reach();
            return gathering.result(begun.in());
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    private static void part(GuestReader reader, BooleanSupplier abandoned) {
        GuestStream stream = reader.stream();
        if (stream.exit().isDone()) {
            stream.close();
        } else if (abandoned.getAsBoolean()) {
            stream.abandon();
        } else {
            reader.close();
        }
    }

    /**
     * The same, but the command that was started with the same key is waited for instead of another one. It goes on when the caller leaves,
     * and stays known when it has ended, with as much of its output as is kept.
     */
    public CommandResult runOnce(String sandbox, RunCommand request, String key) {
        if (request.stdin() != null) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST,
                    "stdin: given together with an Idempotency-Key, which cannot be held: input is read once",
                    "Write the input into a file of the sandbox, or leave the key out.");
        }
        IdempotencyKey once = IdempotencyKey.of(key, "run " + Json.write(request));
        CommandStart start = Requests.of(request);
        LiveSandbox in = begin(sandbox);
        Gathering gathering = new Gathering(request);
        try (GuestReader reader = undisturbed(() -> readOnce(in, start, once))) {
            gathering.gather(reader);
            return gathering.result(in);
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    /** A caller who leaves would cut off the start in the middle, so it has a thread of its own; then nobody reads, and the command goes on. */
    private static GuestReader undisturbed(Supplier<GuestReader> start) throws InterruptedException {
        CompletableFuture<GuestReader> begun = CompletableFuture.supplyAsync(start, work -> Thread.ofVirtual().name("keyed-run").start(work));
        try {
            return begun.get();
        } catch (InterruptedException left) {
            begun.thenAccept(GuestReader::close);
            throw left;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof SandglassException problem) {
                throw new SandglassException(problem.code(), problem.what(), problem.hint(), problem);
            }
            throw new IllegalStateException(failed.getCause());
        }
    }

    /** The agent hears of the reader right after the command: one whose start is not awaited must not wait for a reader either. */
    private GuestReader readOnce(LiveSandbox in, CommandStart start, IdempotencyKey key) {
        AtomicReference<@Nullable GuestReader> first = new AtomicReference<>();
        try {
            GuestCommand command = keyed.startOnce(in, key, numbered -> {
                GuestCommand launched = launch(in, start, numbered);
                first.set(launched.stream().attach(0));
                return launched;
            });
            GuestReader reader = first.getAndSet(null);
            return reader != null ? reader : command.stream().attach(0);
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        } finally {
            GuestReader unused = first.get();
            if (unused != null) {
                unused.close();
            }
        }
    }

    private static void feed(GuestStream stream, String input) {
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        try {
            stream.write(bytes, 0, bytes.length);
            stream.end();
        } catch (SandglassException | InterruptedException endedBeforeItReadAll) {
            return; // as a shell has it: the rest is dropped, and the command's own status tells
        }
    }

    public List<Command> list(String sandbox) {
        LiveSandbox in = sandboxes.running(sandbox);
        List<Command> commands = new ArrayList<>();
        for (GuestCommand command : in.link().commands().all()) {
            if (hasStarted(command)) {
                commands.add(view(in, command));
            }
        }
        return commands;
    }

    public Command get(String sandbox, String command) {
        LiveSandbox in = sandboxes.running(sandbox);
        return view(in, find(in, command));
    }

    /** The command when it has ended, or as it is when the time is over. */
    public Command await(String sandbox, String command, Duration timeout) throws InterruptedException {
        Found found = found(sandbox, command);
        found.command().stream().awaitExit(timeout);
        return view(found.in(), found.command());
    }

    /** Sends a signal; {@code command_ended} if there is nobody left to get it. */
    public void signal(String sandbox, String command, String signal) {
        int number = Signals.number(signal);
        unfinished(sandbox, command, "no signal was sent").stream().signal(number);
    }

    /** Gives its terminal another size; {@code conflict} if it has none. */
    public void resize(String sandbox, String command, WindowSize size) {
        GuestCommand found = unfinished(sandbox, command, "nothing has another size");
        if (!found.facts().pty()) {
            throw new SandglassException(ErrorCode.CONFLICT, command + " has no terminal, so it has no size.", "Start it with a pty.");
        }
        found.stream().resize(size.cols(), size.rows());
    }

    private GuestCommand unfinished(String sandbox, String command, String so) {
        GuestCommand found = found(sandbox, command).command();
        if (found.finished()) {
            throw new SandglassException(ErrorCode.COMMAND_ENDED, command + " has ended already, so " + so + ".", "Look at it to see how it ended.");
        }
        return found;
    }

    /** Gives the command's terminal another size. */
    public void resize(String sandbox, String command, int cols, int rows) {
        found(sandbox, command).command().stream().resize(cols, rows);
    }

    /** Streams the body to the command's standard input; waits while the command does not take it. */
    public void input(String sandbox, String command, InputStream body, boolean end) throws IOException {
        GuestStream stream = found(sandbox, command).command().stream();
        byte[] bytes = new byte[1 << 16];
        try {
            for (int read = body.read(bytes); read >= 0; read = body.read(bytes)) {
                stream.write(bytes, 0, read);
            }
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
        if (end) {
            stream.end();
        }
    }

    /** Reads a command's output from an offset on, beside others who do. */
    public Attachment attach(String sandbox, String command, long offset, boolean follow) {
        Found found = found(sandbox, command);
        GuestStream stream = found.command().stream();
        OptionalLong until = follow || stream.exit().isDone() ? OptionalLong.empty() : OptionalLong.of(stream.endOffset());
        return new Attachment(stream, offset, until, exit -> Exits.of(exit, found.in()));
    }

    /** Nothing was asked of the command yet, so who meets the end of a pause finds it in the sandbox that was woken. */
    private Found found(String sandbox, String command) {
        try {
            return sandboxes.use(sandbox, in -> {
                in.link().requireOpen();
                return new Found(in, find(in, command));
            });
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    private static GuestCommand find(LiveSandbox in, String command) {
        if (command.matches("cmd-[0-9]{1,9}")) {
            Optional<GuestCommand> found = in.link().commands().find(Integer.parseInt(command.substring(4))).filter(Commands::hasStarted);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new SandglassException(
                ErrorCode.COMMAND_NOT_FOUND,
                "There is no command " + command + " in " + in.name() + ".",
                "It was never started, or it ended long ago; list the commands to see those that are known.");
    }

    private static boolean hasStarted(GuestCommand command) {
        return command.stream().started().isDone() && !command.stream().started().isCompletedExceptionally();
    }

    /** Keeps the number of finished commands within bounds: the oldest are forgotten. */
    private static void forgetOld(LiveSandbox in) {
        List<GuestCommand> finished =
                in.link().commands().all().stream().filter(GuestCommand::finished).toList();
        finished.stream().limit(Math.max(0, finished.size() - KEPT_FINISHED)).forEach(old -> old.stream().close());
    }

    private static Command view(LiveSandbox in, GuestCommand command) {
        GuestStream stream = command.stream();
        GuestStream.Started started = stream.started().join();
        boolean ended = stream.exit().isDone() && !stream.exit().isCompletedExceptionally();
        CommandFacts facts = command.facts();
        return new Command(
                "cmd-" + stream.number(),
                facts.argv(),
                facts.cwd().orElse(null),
                facts.user().orElse(null),
                facts.pty(),
                ended ? "exited" : "running",
                started.pid(),
                started.at(),
                ended ? Exits.of(stream.exit().join(), in) : null);
    }

    private static SandglassException stopping(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
    }
}
