package dev.sandglass.server.mcp;

import dev.sandglass.engine.command.Commands;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Commands: run and waited for, read on, listed, and ended. */
final class CommandTools {
    /** Runs a line by the login shell: bash where there is one, else sh. */
    private static final List<String> SHELL = List.of("/bin/sh", "-c", "[ -x /bin/bash ] && exec /bin/bash -lc \"$1\"; exec /bin/sh -lc \"$1\"", "sh");

    private static final int MOST_LISTED = 100;
    private static final int MOST_ARGUMENT = 500;

    private final Commands commands;

    CommandTools(Commands commands) {
        this.commands = commands;
    }

    Map<String, Tool> tools() {
        return Map.of(
                "exec", this::exec,
                "read_output", this::read,
                "list_commands", (arguments, _) -> list(arguments.text("sandbox")),
                "kill_command", (arguments, _) -> kill(arguments));
    }

    private Reply exec(Arguments arguments, Job job) throws IOException, InterruptedException {
        String sandbox = arguments.text("sandbox");
        Duration wait = Duration.ofSeconds(arguments.number("wait_seconds"));
        Optional<String> stdin = arguments.find("stdin");
        Long timeout = arguments.findNumber("timeout_seconds").map(seconds -> Duration.ofSeconds(seconds).toMillis()).orElse(null);
        Command command = commands.start(sandbox, new StartCommand(
                argv(arguments), arguments.pairs("env").orElse(null), arguments.find("cwd").orElse(null), arguments.find("user").orElse(null), null, stdin.isPresent(), !wait.isZero(), timeout));
        stdin.ifPresent(text -> Thread.ofVirtual().name("mcp-stdin").start(() -> feed(sandbox, command.id(), text)));
        Excerpt excerpt = Excerpt.ofBothEnds((int) arguments.number("output_limit"));
        try {
            Optional<Exit> exit = wait.isZero() ? Optional.empty() : new OutputReading(commands, sandbox, command.id(), job).read(0, wait, excerpt);
            Reply reply = reply(command.id(), exit, excerpt);
            return excerpt.omitted() == 0 ? reply : reply.with(ResourceUri.link(new ResourceUri.Output(sandbox, command.id())));
        } catch (InterruptedException left) {
            if (job.cancelled()) {
                end(sandbox, command.id());
            }
            throw left;
        }
    }

    private static List<String> argv(Arguments arguments) {
        Optional<String> line = arguments.find("command");
        List<String> argv = arguments.texts("argv");
        if (line.isPresent() != argv.isEmpty()) {
            throw new SandglassException(
                    ErrorCode.INVALID_REQUEST, "command, argv: both or none are given (expected: one of them).", "Give command for a line of shell, or argv for a program and its arguments.");
        }
        return line.map(text -> Stream.concat(SHELL.stream(), Stream.of(text)).toList()).orElse(argv);
    }

    /** A command that does not read it all is as in a shell: its own status tells. */
    private void feed(String sandbox, String command, String text) {
        try {
            commands.input(sandbox, command, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), true);
        } catch (IOException | SandglassException endedBefore) {
            return;
        }
    }

    private void end(String sandbox, String command) {
        try {
            commands.signal(sandbox, command, "KILL");
        } catch (SandglassException endedMeanwhile) {
            return;
        }
    }

    private Reply read(Arguments arguments, Job job) throws IOException, InterruptedException {
        String sandbox = arguments.text("sandbox");
        String command = arguments.text("command");
        Excerpt excerpt = Excerpt.from(arguments.number("offset"), (int) arguments.number("limit"));
        Optional<Exit> exit = new OutputReading(commands, sandbox, command, job).read(arguments.number("offset"), Duration.ofSeconds(arguments.number("wait_seconds")), excerpt);
        return reply(command, exit.or(() -> Optional.ofNullable(commands.get(sandbox, command).exit())), excerpt);
    }

    private static Reply reply(String command, Optional<Exit> exit, Excerpt excerpt) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("command", command);
        shown.put("state", exit.isPresent() ? "exited" : "running");
        shown.put("exit_code", exit.map(Exit::code).orElse(null));
        shown.put("reason", exit.map(CommandTools::reason).orElse(null));
        shown.put("output", excerpt.text());
        shown.put("omitted", excerpt.omitted() == 0 ? null : Map.of("offset", excerpt.omittedAt(), "bytes", excerpt.omitted()));
        shown.put("dropped", excerpt.dropped() == 0 ? null : excerpt.dropped());
        shown.put("next_offset", excerpt.next());
        String said = excerpt.text();
        String end = exit.map(ended -> "[exit code " + ended.code() + (reason(ended) == null ? "" : ": " + reason(ended)) + "]")
                .orElse("[" + command + " has not ended; read_output with offset " + excerpt.next() + " reads on]");
        return Reply.of(said + (said.isEmpty() || said.endsWith("\n") ? "" : "\n") + end, shown);
    }

    private static @Nullable String reason(Exit exit) {
        return exit.message() != null ? exit.message() : exit.reason();
    }

    private Reply list(String sandbox) {
        List<Command> all = commands.list(sandbox);
        List<Command> newest = all.subList(Math.max(0, all.size() - MOST_LISTED), all.size());
        return Reply.of(Map.of("commands", newest.stream().map(CommandTools::shown).toList(), "truncated", newest.size() < all.size()));
    }

    private static Map<String, @Nullable Object> shown(Command command) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("command", command.id());
        boolean isLine = command.argv().size() == SHELL.size() + 1 && command.argv().subList(0, SHELL.size()).equals(SHELL);
        List<String> argv = isLine ? List.of(command.argv().getLast()) : command.argv();
        shown.put("argv", argv.stream().limit(MOST_LISTED).map(word -> word.substring(0, Math.min(word.length(), MOST_ARGUMENT))).toList());
        shown.put("state", command.state());
        shown.put("exit_code", command.exit() == null ? null : command.exit().code());
        shown.put("started_at", command.startedAt().toString());
        return shown;
    }

    private Reply kill(Arguments arguments) {
        commands.signal(arguments.text("sandbox"), arguments.text("command"), arguments.text("signal"));
        return Reply.of(Map.of("command", arguments.text("command"), "signal", arguments.text("signal")));
    }
}
