package dev.sandglass.client;

import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.util.List;
import java.util.function.Consumer;

/** The commands of a sandbox. A text is a line for a login shell, a list is a program and its arguments. */
public final class Commands {
    private final Daemon daemon;
    private final String sandbox;

    Commands(Daemon daemon, String sandbox) {
        this.daemon = daemon;
        this.sandbox = sandbox;
    }

    public CommandResult run(String line) {
        return run(line, options -> {});
    }

    public CommandResult run(String line, Consumer<RunOptions> options) {
        return run(Words.ofLine(line), options);
    }

    public CommandResult run(List<String> argv) {
        return run(argv, options -> {});
    }

    /** Runs a command to its end. How it ends is no error unless that is asked for. If this thread is interrupted meanwhile, the command is killed. */
    public CommandResult run(List<String> argv, Consumer<RunOptions> options) {
        RunOptions how = options(options);
        CommandResult result = how.isFollowed() || how.stdin ? followed(argv, how) : awaited(argv, how);
        return result.checked(how.check);
    }

    public CommandHandle start(String line) {
        return start(line, options -> {});
    }

    public CommandHandle start(String line, Consumer<RunOptions> options) {
        return start(Words.ofLine(line), options);
    }

    /** Starts a command in the background. It goes on when this program ends. */
    public CommandHandle start(List<String> argv, Consumer<RunOptions> options) {
        RunOptions how = options(options);
        CommandHandle handle = begin(argv, how, how.isFollowed());
        if (how.isFollowed()) {
            handle.followWith(how);
        }
        handle.feed(how.input);
        return handle;
    }

    /** Those that run, and the finished ones that are still kept, oldest first. */
    public List<CommandInfo> list() {
        return daemon.ask(client -> client.commands(sandbox)).commands().stream().map(CommandInfo::of).toList();
    }

    /** One that was started before, by whomever. */
    public CommandHandle connect(String commandId) {
        return new CommandHandle(daemon, sandbox, daemon.ask(client -> client.command(sandbox, commandId)));
    }

    /** Ends a command and all that it started; false if it has ended already. */
    public boolean kill(String commandId) {
        return kill(daemon, sandbox, commandId, "KILL");
    }

    static boolean kill(Daemon daemon, String sandbox, String commandId, String signal) {
        try {
            daemon.ask(client -> {
                client.signal(sandbox, commandId, signal);
                return true;
            });
            return true;
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.COMMAND_ENDED) {
                return false;
            }
            throw problem;
        }
    }

    private static RunOptions options(Consumer<RunOptions> options) {
        RunOptions how = new RunOptions();
        options.accept(how);
        return how;
    }

    private CommandResult awaited(List<String> argv, RunOptions how) {
        RunCommand request = new RunCommand(argv, how.envs, how.cwd, how.user, null, how.timeoutMillis(), Gathering.MOST);
        dev.sandglass.wire.CommandResult ended = daemon.askPatiently(client -> client.run(sandbox, request));
        return CommandResult.of(ended.exit(), ended.stdout(), ended.stderr(), ended.stdoutTruncated() || ended.stderrTruncated());
    }

    private CommandResult followed(List<String> argv, RunOptions how) {
        CommandHandle handle = begin(argv, how, true);
        handle.feed(how.input);
        boolean ended = false;
        try {
            Gathering gathering = new Gathering(how.onStdout, how.onStderr);
            CommandResult result = gathering.result(new Output(daemon, sandbox, handle.commandId(), gathering).follow());
            ended = true;
            return result;
        } finally {
            if (!ended) {
                abandon(handle);
            }
        }
    }

    private CommandHandle begin(List<String> argv, RunOptions how, boolean hold) {
        StartCommand request = new StartCommand(argv, how.envs, how.cwd, how.user, null, how.stdin, hold, how.timeoutMillis());
        Command command = daemon.ask(client -> client.start(sandbox, request));
        return new CommandHandle(daemon, sandbox, command);
    }

    /** An interrupted thread could not even connect. */
    private static void abandon(CommandHandle handle) {
        boolean interrupted = Thread.interrupted();
        try {
            handle.kill();
        } catch (SandglassException goneWithItsSandbox) {
            return;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
