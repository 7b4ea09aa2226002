package dev.sandglass.engine.command;

import dev.sandglass.engine.guest.CommandFacts;
import dev.sandglass.engine.guest.CommandStart;
import dev.sandglass.engine.sandbox.CommandDefaults;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.RunCommand;
import dev.sandglass.wire.SandglassException;
import dev.sandglass.wire.StartCommand;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What clients ask for, checked, as the agent is told it. */
final class Requests {
    private Requests() {}

    static CommandStart of(StartCommand request) {
        boolean pty = request.pty() != null;
        return new CommandStart(
                facts(request.argv(), request.cwd(), request.user(), pty),
                orEmpty(request.env()),
                Optional.ofNullable(request.pty()),
                pty || Boolean.TRUE.equals(request.stdin()),
                Boolean.TRUE.equals(request.hold()),
                timeout(request.timeoutMs()));
    }

    static CommandStart of(RunCommand request) {
        return new CommandStart(
                facts(request.argv(), request.cwd(), request.user(), false),
                orEmpty(request.env()),
                Optional.empty(),
                request.stdin() != null,
                true,
                timeout(request.timeoutMs()));
    }

    /** The same in a sandbox: what was left open is as there. */
    static CommandStart in(CommandDefaults defaults, CommandStart start) {
        CommandFacts facts = start.facts();
        return new CommandStart(
                new CommandFacts(facts.argv(), facts.cwd().or(defaults::workdir), facts.user().or(defaults::user), facts.pty()),
                start.env(),
                start.pty(),
                start.input(),
                start.hold(),
                start.timeout());
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
}
