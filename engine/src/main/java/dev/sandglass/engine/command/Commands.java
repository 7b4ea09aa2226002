package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.CommandFacts;
import dev.sandglass.engine.guest.CommandStart;
import dev.sandglass.engine.guest.GuestCommand;
import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestExit;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.engine.ledger.Ledger;
import dev.sandglass.engine.life.Failpoint;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.engine.life.Sandboxes;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.CommandResult;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The commands of sandboxes. Thread-safe; calls block. */
public final class Commands {
    private static final int DEFAULT_OUTPUT_LIMIT = 1 << 20;
    private static final int KEPT_FINISHED = 64;

    private final Sandboxes sandboxes;
    private final Chronicle chronicle;

    public Commands(Sandboxes sandboxes, Ledger ledger) {
        this.sandboxes = sandboxes;
        this.chronicle = new Chronicle(ledger);
    }

    /** Starts a command and leaves it running. */
    public Command start(String sandbox, StartCommand request) {
        LiveSandbox in = sandboxes.running(sandbox);
        Failpoint.EXEC_BEGUN.reach();
        boolean pty = request.pty() != null;
        CommandStart start = new CommandStart(
                facts(request.argv(), request.cwd(), request.user(), pty),
                orEmpty(request.env()),
                Optional.ofNullable(request.pty()),
                pty || Boolean.TRUE.equals(request.stdin()),
                Boolean.TRUE.equals(request.hold()),
                timeout(request.timeoutMs()));
        forgetOld(in);
        try {
            GuestCommand command = in.link().start(start);
            Failpoint.EXEC_STARTED.reach();
            chronicle.follow(in, command);
            return view(in, command);
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    /**
     * Runs a command to its end and returns what it printed, within the limit.
     *
     * @param abandoned whether an interrupt means that nobody wants the result any more: then the command is killed
     */
    public CommandResult run(String sandbox, RunCommand request, BooleanSupplier abandoned) {
        LiveSandbox in = sandboxes.running(sandbox);
        Failpoint.EXEC_BEGUN.reach();
        String input = request.stdin();
        CommandStart start = new CommandStart(
                facts(request.argv(), request.cwd(), request.user(), false),
                orEmpty(request.env()),
                Optional.empty(),
                input != null,
                true,
                timeout(request.timeoutMs()));
        int limit = request.outputLimit() == null ? DEFAULT_OUTPUT_LIMIT : request.outputLimit();
        BoundedOutput stdout = new BoundedOutput(limit);
        BoundedOutput stderr = new BoundedOutput(limit);
        try {
            GuestReader reader = in.link().startAttached(start);
            Failpoint.EXEC_STARTED.reach();
            if (input != null) {
                Thread.ofVirtual().start(() -> feed(reader.stream(), input));
            }
            GuestExit exit = collect(reader, stdout, stderr, abandoned);
            Failpoint.EXEC_ENDED.reach();
            return new CommandResult(
                    Exits.of(exit, in), stdout.text(), stderr.text(), stdout.truncated(), stderr.truncated());
        } catch (InterruptedException stopped) {
            throw stopping(stopped);
        }
    }

    private static GuestExit collect(GuestReader reader, BoundedOutput stdout, BoundedOutput stderr, BooleanSupplier abandoned)
            throws InterruptedException {
        try {
            while (true) {
                switch (reader.next()) {
                    case GuestEvent.Output output -> (output.kind() == 1 ? stdout : stderr).add(output.bytes());
                    case GuestEvent.Ended(GuestExit exit) -> {
                        return exit;
                    }
                    case GuestEvent.Closed() ->
                        throw new SandglassException(
                                ErrorCode.GUEST_TIMEOUT, "The agent of the sandbox did not answer.", "The command goes on; attach to it.");
                    case GuestEvent.Refused(_, _, String text) ->
                        throw new SandglassException(ErrorCode.COMMAND_REFUSED, text, "See the message for the reason.");
                    case GuestEvent.Eof() -> {}
                }
            }
        } finally {
            GuestStream stream = reader.stream();
            if (stream.exit().isDone()) {
                stream.close();
            } else if (abandoned.getAsBoolean()) {
                stream.abandon();
            } else {
                reader.close();
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
        for (GuestCommand command : in.link().commands()) {
            if (command.stream().started().isDone() && !command.stream().started().isCompletedExceptionally()) {
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
        LiveSandbox in = sandboxes.running(sandbox);
        GuestCommand found = find(in, command);
        found.stream().awaitExit(timeout);
        return view(in, found);
    }

    public void signal(String sandbox, String command, String signal) {
        int number = Signals.number(signal);
        find(sandboxes.running(sandbox), command).stream().signal(number);
    }

    /** Streams the body to the command's standard input; waits while the command does not take it. */
    public void input(String sandbox, String command, InputStream body, boolean end) throws IOException {
        GuestStream stream = find(sandboxes.running(sandbox), command).stream();
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
        LiveSandbox in = sandboxes.running(sandbox);
        GuestCommand found = find(in, command);
        GuestStream stream = found.stream();
        OptionalLong until = follow || stream.exit().isDone() ? OptionalLong.empty() : OptionalLong.of(stream.endOffset());
        return new Attachment(stream, offset, until, exit -> Exits.of(exit, in));
    }

    private static GuestCommand find(LiveSandbox in, String command) {
        if (command.matches("cmd-[0-9]{1,9}")) {
            Optional<GuestCommand> found = in.link().command(Integer.parseInt(command.substring(4)));
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new SandglassException(
                ErrorCode.COMMAND_NOT_FOUND,
                "There is no command " + command + " in " + in.name() + ".",
                "It was never started, or it ended long ago; list the commands to see those that are known.");
    }

    /** Keeps the number of finished commands within bounds: the oldest are forgotten. */
    private static void forgetOld(LiveSandbox in) {
        List<GuestCommand> finished =
                in.link().commands().stream().filter(GuestCommand::finished).toList();
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

    private static CommandFacts facts(List<String> argv, @Nullable String cwd, @Nullable String user, boolean pty) {
        if (argv.isEmpty() || argv.getFirst().isEmpty()) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "argv: [] (expected: a program and its arguments)", "Name the program to run.");
        }
        return new CommandFacts(List.copyOf(argv), Optional.ofNullable(cwd), Optional.ofNullable(user), pty);
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> env) {
        if (env == null) {
            return Map.of();
        }
        for (String key : env.keySet()) {
            if (key.isEmpty() || key.indexOf('=') >= 0) {
                throw new SandglassException(
                        ErrorCode.INVALID_REQUEST, "env: a variable without a name or with '=' in it", "Names are like FOO_BAR.");
            }
        }
        return env;
    }

    private static Optional<Duration> timeout(@Nullable Long millis) {
        if (millis != null && millis < 1) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, "timeout_ms: " + millis + " (expected: >= 1)", "Leave it out for no limit.");
        }
        return Optional.ofNullable(millis).map(Duration::ofMillis);
    }

    private static SandglassException stopping(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return new SandglassException(ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again.", stopped);
    }
}
