package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Signals;
import dev.sandglass.cli.terminal.Termios;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.StartCommand;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A command whose input, output, terminal and signals are those of this process. */
final class JoinedCommand {
    /** So many Ctrl-C that the command does not heed, and this process leaves it. */
    private static final int PATIENCE = 3;

    private static final long HANG_UP_MILLIS = 3_000;
    private static final Map<String, Integer> ENDING_SIGNALS = Map.of("TERM", 15, "HUP", 1);

    private final Console console;
    private final Attachment attachment;
    private final boolean pty;
    private final boolean joinedLater;

    private JoinedCommand(Console console, Attachment attachment, boolean pty, boolean joinedLater) {
        this.console = console;
        this.attachment = attachment;
        this.pty = pty;
        this.joinedLater = joinedLater;
    }

    /** Starts a command and stays with it to its end. */
    static int run(Console console, Client client, String sandbox, StartCommand request) {
        String command = client.start(sandbox, request).id();
        Attachment attachment = new Attachment(client, sandbox, command, console.out(), console.err());
        int code = new JoinedCommand(console, attachment, request.pty() != null, false).join(Boolean.TRUE.equals(request.stdin()));
        if (code < 0) {
            console.warn("error: The connection is lost.\nhint: The command may still run: "
                    + "`sandglass attach " + Inert.text(sandbox) + " " + Inert.text(command) + "` joins it again.\n");
            return CommandVerb.FAILED;
        }
        return code;
    }

    /** Joins a command that runs already; it outlives this process. */
    static int attach(Console console, Client client, String sandbox, Command command, boolean input) {
        Attachment attachment = new Attachment(client, sandbox, command.id(), console.out(), console.err());
        int code = new JoinedCommand(console, attachment, command.pty(), true).join(input);
        if (code < 0) {
            console.warn("The command goes on; `sandglass attach " + Inert.text(sandbox) + " " + Inert.text(command.id())
                    + "` joins it again.\n");
            return Verb.OK;
        }
        return code;
    }

    /** The exit code, -1 when the user left. */
    private int join(boolean input) {
        Termios terminal = pty && console.terminal(Console.IN) ? Termios.raw() : null;
        Thread restore = new Thread(() -> restore(terminal), "restore-terminal");
        try {
            if (terminal != null) {
                Runtime.getRuntime().addShutdownHook(restore);
                attachment.interactive(
                        () -> console.warn("\r\nThe connection to the daemon broke; trying again (Ctrl-C leaves) ...\r\n"),
                        () -> console.warn("Connected again.\r\n"));
                Signals.on("WINCH", () -> attachment.resize(Termios.size()));
            }
            forward("INT", 2);
            ENDING_SIGNALS.forEach(this::endWith);
            if (terminal != null) {
                if (joinedLater) {
                    background(() -> attachment.resize(Termios.size()));
                }
                attachment.type(console.in(), joinedLater);
            } else if (input) {
                attachment.feed(console.in());
            }
            Exit exit = attachment.await();
            restore(terminal);
            return exit == null ? -1 : Ending.report(console, exit);
        } finally {
            restore(terminal);
        }
    }

    /** What ends this process ends its command too, unless that one was there before: a terminal is hung up, a pipe is told. */
    private void endWith(String name, int number) {
        if (joinedLater) {
            Signals.on(name, () -> System.exit(128 + number));
        } else if (pty) {
            Signals.on(name, () -> {
                hangUp();
                System.exit(128 + number);
            });
        } else {
            forward(name, number);
        }
    }

    /** A daemon that hangs must not keep this process. */
    private void hangUp() {
        try {
            background(() -> attachment.signal("HUP")).join(HANG_UP_MILLIS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread background(Runnable work) {
        Thread thread = new Thread(work, "joined-command");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The command gets the signal first; only one that it ignores again and again ends this process. */
    private void forward(String name, int number) {
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
