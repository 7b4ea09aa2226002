package dev.sandglass.server.e2b.envd;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.engine.file.Account;
import dev.sandglass.engine.file.UserFiles;
import dev.sandglass.server.e2b.connect.Code;
import dev.sandglass.server.e2b.connect.Message;
import dev.sandglass.server.e2b.connect.Nothing;
import dev.sandglass.server.e2b.connect.Rpc;
import dev.sandglass.server.e2b.connect.RpcException;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import io.avaje.jsonb.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The methods of {@code process.Process}: a process is a command, known by its number inside or by what its client called it. Thread-safe. */
final class ProcessService {
    private static final String NAME = "/process.Process/";
    /** So long after its end it can still be asked how a process ended. */
    private static final Duration REMEMBERED = Duration.ofSeconds(30);
    private static final byte[] NO_INPUT = {};

    @Json
    record ProcessInfo(Configs.Config config, long pid, @Nullable String tag) {}

    @Json
    record ProcessList(List<ProcessInfo> processes) {}

    private final Commands commands;
    private final UserFiles files;
    private final Configs configs = new Configs();

    ProcessService(Commands commands, UserFiles files) {
        this.commands = commands;
        this.files = files;
    }

    Map<String, Rpc.Unary<Visitor>> unary() {
        return Map.of(
                NAME + "List", this::list,
                NAME + "SendInput", this::input,
                NAME + "CloseStdin", this::closeInput,
                NAME + "SendSignal", this::signal,
                NAME + "Update", this::update);
    }

    Map<String, Rpc.Streaming<Visitor>> streaming() {
        return Map.of(NAME + "Start", this::start, NAME + "Connect", this::connect, NAME + "StreamInput", ProcessService::streamInput);
    }

    private Rpc.Flow start(Visitor visitor, Message request) {
        Message process = request.child("process");
        Account account = visitor.account();
        String cwd = visitor.absolute(account, process.text("cwd"));
        List<String> argv = new ArrayList<>(List.of(process.text("cmd")));
        argv.addAll(process.texts("args"));
        Map<String, String> env = new HashMap<>(Map.of("E2B_SANDBOX", "true", "E2B_SANDBOX_ID", visitor.sandbox().undashed()));
        env.putAll(process.textMap("envs"));
        WindowSize pty = request.has("pty") ? size(request) : null;
        Long limit = Rpc.limit(visitor.call()).map(Duration::toMillis).orElse(null);
        Command command = begin(
                visitor, account, new StartCommand(argv, env, cwd, account.name(), pty, request.flag("stdin", true), true, limit));
        configs.remember(visitor.id(), command, request.optionalText("tag"), process.textMap("envs"));
        return new ProcessFlow(command, commands.attach(visitor.id(), command.id(), 0, true), false);
    }

    private Command begin(Visitor visitor, Account account, StartCommand start) {
        try {
            return commands.start(visitor.id(), start);
        } catch (SandglassException refused) {
            if (refused.code() == ErrorCode.COMMAND_REFUSED && !isThere(account, start.cwd())) {
                throw new RpcException(Code.INVALID_ARGUMENT, "cwd '" + start.cwd() + "' does not exist");
            }
            throw refused;
        }
    }

    private boolean isThere(Account account, @Nullable String path) {
        try {
            return path == null || files.stat(account, path, EntryInfo.METADATA).entry() != null;
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.PATH_NOT_FOUND) {
                return false;
            }
            throw problem;
        }
    }

    private static WindowSize size(Message request) {
        Message size = request.child("pty").child("size");
        return new WindowSize(side(size, "cols"), side(size, "rows"));
    }

    private static int side(Message size, String name) {
        return (int) Math.clamp(size.number(name), 1L, 65535L);
    }

    /** What comes from now on; of a process that has ended only how. */
    private Rpc.Flow connect(Visitor visitor, Message request) {
        Command command = find(visitor, request, ProcessService::isKnown);
        return new ProcessFlow(command, commands.attach(visitor.id(), command.id(), Long.MAX_VALUE, true), true);
    }

    /** No client can send its request and read an answer at once over HTTP/1.1. */
    private static Rpc.Flow streamInput(Visitor visitor, Message request) {
        throw new RpcException(Code.UNIMPLEMENTED, "input is not taken as a stream: call SendInput for each piece of it");
    }

    private Object list(Visitor visitor, Message request) {
        return new ProcessList(commands.list(visitor.id()).stream()
                .filter(ProcessService::isRunning)
                .map(command -> new ProcessInfo(
                        configs.of(visitor.id(), command), command.pid(), configs.tag(visitor.id(), command).orElse(null)))
                .toList());
    }

    private Object input(Visitor visitor, Message request) throws IOException {
        Command command = find(visitor, request, ProcessService::isRunning);
        Message input = request.child("input");
        if (input.has("pty") && !command.pty()) {
            throw new RpcException(Code.INTERNAL, "error writing to tty: tty not assigned to process — input should be written to the stdin, not the tty");
        }
        if (!input.has("pty") && command.pty()) {
            throw new RpcException(Code.INTERNAL, "error writing to stdin: tty assigned to process — input should be written to the pty, not the stdin");
        }
        send(visitor, command, input.bytes(command.pty() ? "pty" : "stdin"), false);
        return Nothing.atAll();
    }

    private Object closeInput(Visitor visitor, Message request) throws IOException {
        Command command = find(visitor, request, ProcessService::isRunning);
        if (command.pty()) {
            throw new RpcException(Code.UNKNOWN, "error closing stdin: cannot close stdin for PTY process — send Ctrl+D (0x04) instead");
        }
        send(visitor, command, NO_INPUT, true);
        return Nothing.atAll();
    }

    private void send(Visitor visitor, Command command, byte[] bytes, boolean end) throws IOException {
        try {
            commands.input(visitor.id(), command.id(), new ByteArrayInputStream(bytes), end);
        } catch (SandglassException problem) {
            if (problem.code() == ErrorCode.STDIN_CLOSED) {
                throw new RpcException(Code.INTERNAL, "error writing to stdin: stdin not enabled or closed");
            }
            throw problem;
        }
    }

    private Object signal(Visitor visitor, Message request) {
        Command command = find(visitor, request, ProcessService::isRunning);
        String signal =
                switch (request.choice("signal")) {
                    case "SIGNAL_SIGKILL", "9" -> "KILL";
                    case "SIGNAL_SIGTERM", "15" -> "TERM";
                    default -> throw new RpcException(Code.UNIMPLEMENTED, "invalid signal: " + request.choice("signal"));
                };
        try {
            commands.signal(visitor.id(), command.id(), signal);
        } catch (SandglassException problem) {
            throw problem.code() == ErrorCode.COMMAND_ENDED ? notFound(request) : problem;
        }
        return Nothing.atAll();
    }

    private Object update(Visitor visitor, Message request) {
        Command command = find(visitor, request, ProcessService::isRunning);
        if (request.has("pty")) {
            if (!command.pty()) {
                throw new RpcException(Code.INTERNAL, "error resizing tty: tty not assigned to process");
            }
            WindowSize size = size(request);
            commands.resize(visitor.id(), command.id(), size.cols(), size.rows());
        }
        return Nothing.atAll();
    }

    private static boolean isRunning(Command command) {
        return command.state().equals("running");
    }

    private static boolean isKnown(Command command) {
        Instant ended = command.exit() == null ? null : command.exit().endedAt();
        return isRunning(command) || (ended != null && ended.isAfter(Instant.now().minus(REMEMBERED)));
    }

    /** The newest that is meant: numbers are given again. */
    private Command find(Visitor visitor, Message request, Predicate<Command> fitting) {
        Message selector = request.child("process");
        Optional<String> tag = selector.optionalText("tag");
        Predicate<Command> meant = tag.isPresent()
                ? command -> configs.tag(visitor.id(), command).equals(tag)
                : command -> command.pid() == selector.number("pid");
        return commands.list(visitor.id()).stream()
                .filter(meant.and(fitting))
                .max(Comparator.comparing(Command::startedAt))
                .orElseThrow(() -> notFound(request));
    }

    private static RpcException notFound(Message request) {
        Message selector = request.child("process");
        return new RpcException(Code.NOT_FOUND, selector.has("tag") ? "process with tag " + selector.text("tag") + " not found" : "process with pid " + selector.number("pid") + " not found");
    }
}
