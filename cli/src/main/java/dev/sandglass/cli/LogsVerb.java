package dev.sandglass.cli;

import dev.sandglass.cli.attach.Gap;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.client.daemon.Lines;
import dev.sandglass.cli.terminal.InertOutput;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.OutputEvent;
import dev.sandglass.wire.Problem;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** {@code logs}: what commands have printed. */
final class LogsVerb extends Verb {
    private static final byte[] NOTHING = {};

    private final Syntax.Value sandbox = syntax.operand(0, "SANDBOX", "Name, id, or the beginning of one.");
    private final Syntax.Value handle =
            syntax.optionalOperand(1, "COMMAND", "Its handle; if absent all commands that were started without a terminal.");
    private final Syntax.Flag follow = syntax.flag("Go on with what comes, until the commands have ended.", "-f", "--follow");
    private final Syntax.Value service = syntax.value("NAME", "What this service has printed, and not commands.", "--service");
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
            if (service.orNull() != null) {
                new ServiceLog(sandbox.orEmpty(), service.orEmpty(), follow.isSet(), raw.isSet()).print(console, client, format, null);
                return OK;
            }
            List<Command> commands = handle.orEmpty().isEmpty()
                    ? client.commands(sandbox.orEmpty()).commands().stream().filter(command -> !command.pty()).toList()
                    : List.of(Handle.find(client, sandbox.orEmpty(), handle.orEmpty()));
            boolean labelled = handle.orEmpty().isEmpty();
            BlockingQueue<Optional<RuntimeException>> ends = new LinkedBlockingQueue<>();
            int followers = 0;
            for (Command command : commands) {
                LabelledOutput out = new LabelledOutput(labelled ? command.id() + " | " : "", target(console, Console.OUT));
                LabelledOutput err = new LabelledOutput(labelled ? command.id() + " | " : "", target(console, Console.ERR));
                if (follow.isSet() && command.state().equals("running") && commands.size() > 1) {
                    follow(() -> print(console, client, command, format, out, err), ends);
                    followers++;
                } else {
                    print(console, client, command, format, out, err);
                }
            }
            return await(console, format, ends, followers);
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

    /** The process does not wait for such a thread when it is to end. */
    private static void follow(Runnable work, BlockingQueue<Optional<RuntimeException>> ends) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
                ends.add(Optional.empty());
            } catch (RuntimeException problem) {
                ends.add(Optional.of(problem));
            }
        }, "logs");
        thread.setDaemon(true);
        thread.start();
    }

    /** The exit code; what no other command is to be read after, as that nobody reads, is thrown. */
    private int await(Console console, Format format, BlockingQueue<Optional<RuntimeException>> ends, int followers) {
        int code = OK;
        for (int i = 0; i < followers; i++) {
            RuntimeException problem = next(ends).orElse(null);
            if (problem instanceof SandglassException told) {
                Failure failure = failure(told);
                console.warn(failure.text(format));
                code = exitCode(failure);
            } else if (problem != null) {
                throw problem;
            }
        }
        return code;
    }

    private static Optional<RuntimeException> next(BlockingQueue<Optional<RuntimeException>> ends) {
        try {
            return ends.take();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.of(new IllegalStateException("interrupted", stopped));
        }
    }
}
