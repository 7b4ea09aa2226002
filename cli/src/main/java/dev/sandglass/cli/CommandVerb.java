package dev.sandglass.cli;

import dev.sandglass.cli.terminal.Termios;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.StartCommand;
import dev.sandglass.wire.WindowSize;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** A verb that runs a command in a sandbox and ends as that command does. */
abstract class CommandVerb extends Verb {
    static final int FAILED = 125;
    static final int CANNOT_RUN = 126;
    static final int NO_SUCH_COMMAND = 127;

    private final Syntax.Value timeout = syntax.value("TIME", "Kill it after that many seconds, or 500ms, 5m, 2h.", "--timeout");
    private final Syntax.Value workdir = syntax.value("DIR", "Where it runs; as the sandbox says if absent, else the user's home.", "-w", "--workdir");
    private final Syntax.Values env = syntax.values("NAME=VALUE", "An environment variable; may be repeated.", "-e", "--env");
    private final Syntax.Values envFiles = syntax.values("FILE", "A file of NAME=VALUE lines; may be repeated.", "--env-file");
    private final Syntax.Value user = syntax.value("USER", "Name, uid, name:group or uid:gid; as the sandbox says if absent, else root.", "-u", "--user");
    private final Syntax.Flag tty = syntax.flag("Give it a terminal, also if there is none here.", "-t", "--tty");
    private final Syntax.Flag noTty = syntax.flag("Give it no terminal, also if there is one here.", "-T", "--no-tty");
    private final Syntax.Flag interactive =
            syntax.flag("Pass standard input on, also if it is a terminal; a pipe or file always is.", "-i", "--interactive");
    private final Syntax.Flag noStdin = syntax.flag("Pass no standard input on.", "-n", "--no-stdin");
    private boolean explicit;

    CommandVerb(Syntax syntax) {
        super(syntax.printing("json or yaml: output and exit status as one value at the end; if absent the output as it comes."));
    }

    /** The variables that were given, null if there are none. */
    final @Nullable Map<String, String> variables(Console console) {
        return Pairs.environment(envFiles.all(), env.all(), console.environment());
    }

    /** As whom it is to run, null if nobody said. */
    final @Nullable String user() {
        return user.orNull();
    }

    /** Where it is to run, null if nobody said. */
    final @Nullable String workdir() {
        return workdir.orNull();
    }

    /** How many words stand before the command. */
    abstract int operands();

    @Override
    String[] prepare(CommandSpec spec, String[] args) {
        CommandWords words = CommandWords.split(spec, operands(), args);
        explicit = words.explicit();
        return words.args().toArray(new String[0]);
    }

    /** One word is a line of shell, several are a program with arguments, none is a shell. */
    StartCommand command(Console console, List<String> words, @Nullable Map<String, String> variables, boolean detached) {
        return exactly(console, words.isEmpty() ? Shell.interactive() : words.size() == 1 && !explicit ? Shell.line(words.get(0)) : List.copyOf(words), variables, detached);
    }

    /** The words as they are. */
    StartCommand exactly(Console console, List<String> argv, @Nullable Map<String, String> variables, boolean detached) {
        boolean terminals = console.terminal(Console.IN) && console.terminal(Console.OUT);
        boolean pty = tty.isSet() || (terminals && !noTty.isSet() && !detached && askedFormat().isEmpty());
        WindowSize size = !pty ? null : console.terminal(Console.OUT) ? Termios.size() : new WindowSize(80, 24);
        boolean stdin = !noStdin.isSet() && (interactive.isSet() || (!detached && (pty || !console.terminal(Console.IN))));
        return new StartCommand(
                argv,
                withTerm(console, variables, pty),
                workdir.orNull(),
                user.orNull(),
                size,
                stdin,
                !detached,
                Amount.milliseconds("timeout", timeout.orNull()));
    }

    /** Runs the command joined to this process, or with its output gathered into JSON, and returns its exit code. */
    int join(Console console, Opening opening, StartCommand command) {
        Format format = format(console);
        return format.structured()
                ? GatheredCommand.run(console, opening, command, format)
                : JoinedCommand.run(console, opening, command);
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    /** What Sandglass itself gets wrong must not look like an exit code of the command. */
    @Override
    int exitCode(Failure failure) {
        return codeOf(failure);
    }

    static int codeOf(Failure failure) {
        return switch (failure.code()) {
            case PROGRAM_NOT_FOUND -> NO_SUCH_COMMAND;
            case COMMAND_REFUSED -> CANNOT_RUN;
            default -> FAILED;
        };
    }

    private static @Nullable Map<String, String> withTerm(Console console, @Nullable Map<String, String> variables, boolean pty) {
        String term = console.environment().get("TERM");
        if (!pty || term == null || (variables != null && variables.containsKey("TERM"))) {
            return variables;
        }
        Map<String, String> more = new LinkedHashMap<>(variables == null ? Map.of() : variables);
        more.put("TERM", term);
        return more;
    }
}
