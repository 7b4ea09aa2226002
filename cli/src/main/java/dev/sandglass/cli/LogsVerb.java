package dev.sandglass.cli;

import dev.sandglass.cli.attach.Gap;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.client.Lines;
import dev.sandglass.cli.terminal.InertOutput;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** {@code logs}: what commands have printed. */
final class LogsVerb extends Verb {
    private static final byte[] NOTHING = {};

    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of an id.");
    private final Syntax.Value handle =
            syntax.optionalOperand(1, "COMMAND", "Its handle; if absent all commands that were started without a terminal.");
    private final Syntax.Flag follow = syntax.flag("Go on with what comes, until the commands have ended.", "-f", "--follow");
    private final Syntax.Flag raw =
            syntax.flag("Print every byte as it is, also what a terminal would act on.", "--raw");

    LogsVerb() {
        super(new Syntax(
                "logs",
                "Show what commands have printed, as far as it is kept (the last 256 KB of each); how much is",
                "missing is said on standard error. Others may read at the same time.",
                "").printing("json or yaml: a value for each piece of output; if absent the output as it is."));
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        Format format = format(console);
        try (Client client = client(console)) {
            List<Command> commands = handle.orEmpty().isEmpty()
                    ? client.commands(sandbox.orEmpty()).commands().stream().filter(command -> !command.pty()).toList()
                    : List.of(Handle.find(client, sandbox.orEmpty(), handle.orEmpty()));
            boolean labelled = handle.orEmpty().isEmpty();
            List<Thread> followers = new ArrayList<>();
            for (Command command : commands) {
                LabelledOutput out = new LabelledOutput(labelled ? command.id() + " | " : "", target(console, Console.OUT));
                LabelledOutput err = new LabelledOutput(labelled ? command.id() + " | " : "", target(console, Console.ERR));
                if (follow.isSet() && command.state().equals("running") && commands.size() > 1) {
                    followers.add(start(console, format, () -> print(console, client, command, format, out, err)));
                } else {
                    print(console, client, command, format, out, err);
                }
            }
            followers.forEach(LogsVerb::await);
            return OK;
        }
    }

    private OutputStream target(Console console, int stream) {
        OutputStream out = stream == Console.OUT ? console.out() : console.err();
        return console.terminal(stream) && !raw.isSet() ? new InertOutput(out) : out;
    }

    private void print(Console console, Client client, Command command, Format format, LabelledOutput out, LabelledOutput err) {
        long at = 0;
        boolean over = false;
        Comeback comeback = new Comeback();
        try {
            while (!over) {
                try (Client own = client.patient()) {
                    Lines<OutputEvent> events = own.output(sandbox.orEmpty(), command.id(), follow.isSet(), at);
                    for (OutputEvent event = events.next(); event != null; event = events.next()) {
                        comeback.seen();
                        at = print(console, command, format, event, out, err, at);
                    }
                    over = true;
                } catch (SandglassException problem) {
                    if (!follow.isSet()) {
                        throw problem;
                    }
                    comeback.await(problem); // a daemon that is started anew has the rest
                }
            }
            synchronized (this) {
                out.end();
                err.end();
            }
        } catch (IOException nobodyReads) {
            throw new UncheckedIOException(nobodyReads);
        }
    }

    /** Prints a piece and returns where the next one begins. */
    private synchronized long print(
            Console console, Command command, Format format, OutputEvent event, LabelledOutput out, LabelledOutput err, long at)
            throws IOException {
        Problem error = event.error();
        if (error != null) {
            throw SandglassException.from(error);
        }
        byte[] bytes = event.data() == null ? NOTHING : Base64.getDecoder().decode(event.data());
        long missing = event.dropped() == null ? 0 : event.dropped();
        if (format.structured()) {
            console.print(Document.next(Document.with("command", command.id(), event), format));
        } else if (missing > 0) {
            err.write((Gap.text(missing) + "\n").getBytes(StandardCharsets.UTF_8));
        } else {
            ("stderr".equals(event.stream()) ? err : out).write(bytes);
        }
        return (event.offset() == null ? at : event.offset()) + bytes.length + missing;
    }

    private static Thread start(Console console, Format format, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (SandglassException problem) {
                console.warn(Failure.of(problem).text(format));
            }
        }, "logs");
        thread.start();
        return thread;
    }

    private static void await(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
