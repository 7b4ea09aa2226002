package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.ArrayList;
import java.util.List;

/** {@code kill}: a signal to commands. */
final class KillVerb extends Verb {
    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Values handles = syntax.operands(1, 0, "COMMAND", "The handles of the commands, as `ps` lists them.");
    private final Syntax.Flag all = syntax.flag("All commands of the sandbox that run.", "-a", "--all");
    private final Syntax.Value signal = syntax.value("SIGNAL", "KILL, SIGINT, 15, ...; TERM if absent.", "-s", "--signal");

    KillVerb() {
        super(new Syntax(
                "kill", "Send a signal to commands of a sandbox, each with all its processes. `rm` ends the sandbox itself.", ""));
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        if (all.isSet() == !handles.all().isEmpty()) {
            throw new UsageException("Name the commands to signal, or use --all");
        }
        String name = signal.orEmpty().isEmpty() ? "TERM" : signal.orEmpty();
        try (Client client = client(console)) {
            List<String> commands = new ArrayList<>();
            handles.all().forEach(handle -> commands.add(Handle.of(handle)));
            if (all.isSet()) {
                client.commands(sandbox.orEmpty()).commands().stream()
                        .filter(command -> command.state().equals("running"))
                        .forEach(command -> commands.add(command.id()));
            }
            return signal(console, client, commands, name, format);
        }
    }

    /** Goes on after a failure; the exit code is that of the first one. */
    private int signal(Console console, Client client, List<String> commands, String name, Format format) {
        int code = OK;
        List<String> signalled = new ArrayList<>();
        for (String command : commands) {
            try {
                client.signal(sandbox.orEmpty(), command, name);
                signalled.add(command);
            } catch (SandglassException problem) {
                if (all.isSet() && problem.code() == ErrorCode.COMMAND_ENDED) {
                    continue; // since it was listed, so it is none of those that run
                }
                Failure failure = failure(problem);
                console.warn(failure.text(format));
                code = code == OK ? failure.exitCode() : code;
            }
        }
        if (format.structured()) {
            console.print(Document.ofNames("signalled", signalled, format, console));
        } else {
            signalled.forEach(command -> console.print(Inert.text(command) + "\n"));
        }
        return code;
    }
}
