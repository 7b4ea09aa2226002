package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Signals;
import dev.sandglass.cli.terminal.Termios;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.StartCommand;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A command whose input, output, terminal and signals are those of this process. */
final class JoinedCommand {
    /** So many Ctrl-C that the command does not heed, and this process leaves it. */
    private static final int PATIENCE = 3;

    private JoinedCommand() {}

    static int run(Console console, Client client, String sandbox, StartCommand request) {
        String command = client.start(sandbox, request).id();
        Attachment attachment = new Attachment(client, sandbox, command, console.out(), console.err());
        Termios terminal = request.pty() != null && console.terminal(Console.IN) ? Termios.raw() : null;
        Thread restore = new Thread(() -> restore(terminal), "restore-terminal");
        try {
            if (terminal != null) {
                Runtime.getRuntime().addShutdownHook(restore);
                Signals.on("WINCH", () -> attachment.resize(Termios.size()));
            }
            forward(attachment, "INT", 2);
            forward(attachment, "TERM", 15);
            forward(attachment, "HUP", 1);
            if (Boolean.TRUE.equals(request.stdin())) {
                attachment.feed(console.in());
            }
            Exit exit = attachment.await();
            restore(terminal);
            return Ending.report(console, exit);
        } finally {
            restore(terminal);
        }
    }

    /** The command gets the signal first; only one that it ignores again and again ends this process. */
    private static void forward(Attachment attachment, String name, int number) {
        AtomicInteger count = new AtomicInteger();
        Signals.on(name, () -> {
            if (count.incrementAndGet() > PATIENCE) {
                System.exit(128 + number);
            }
            attachment.signal(name);
        });
    }

    private static void restore(@Nullable Termios terminal) {
        if (terminal != null) {
            terminal.restore();
        }
    }
}
