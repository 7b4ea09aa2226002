package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.cli.terminal.Signals;
import dev.sandglass.cli.terminal.Termios;
import dev.sandglass.wire.Command;
import dev.sandglass.wire.Exit;
import dev.sandglass.wire.StartCommand;
import org.jspecify.annotations.Nullable;

/** A command whose input, output, terminal and signals are those of this process. */
final class JoinedCommand {
    private static final long HANG_UP_MILLIS = 3_000;

    private final Console console;
    private final ForwardedSignals signals;
    private final @Nullable Termios terminal;
    private final Attachment attachment;
    private final boolean pty;
    private final boolean joinedLater;
    /** The signal by which this process ends, whatever its command makes of being hung up. */
    private volatile @Nullable String endedBy;

    private JoinedCommand(Console console, Opening opening, boolean pty, boolean joinedLater) {
        this.console = console;
        this.signals = new ForwardedSignals();
        this.terminal = pty && console.terminal(Console.IN) ? Termios.of() : null;
        try {
            this.attachment = opening.open(signals, console.out(), console.err());
        } catch (RuntimeException | Error problem) {
            restore();
            throw problem;
        }
        this.pty = pty;
        this.joinedLater = joinedLater;
    }

    /** Starts a command and stays with it to its end. */
    static int run(Console console, Opening opening, StartCommand request) {
        JoinedCommand joined = new JoinedCommand(console, opening, request.pty() != null, false);
        int code = joined.join(Boolean.TRUE.equals(request.stdin()));
        if (code < 0) {
            console.warn("error: The connection is lost.\nhint: The command may still run: " + joined.again() + ".\n");
            return CommandVerb.FAILED;
        }
        return code;
    }

    /** Joins a command that runs already; it outlives this process. */
    static int attach(Console console, Client client, String sandbox, Command command, boolean input) {
        Opening found = (_, stdout, stderr) -> new Attachment(client, sandbox, command.id(), stdout, stderr);
        JoinedCommand joined = new JoinedCommand(console, found, command.pty(), true);
        int code = joined.join(input);
        if (code < 0) {
            console.warn("The command goes on; " + joined.again() + ".\n");
            return Verb.OK;
        }
        return code;
    }

    private String again() {
        return "`sandglass attach " + Inert.text(attachment.sandbox()) + " " + Inert.text(attachment.command()) + "` joins it again";
    }

    /** The exit code, -1 when the user left. */
    private int join(boolean input) {
        Thread restore = new Thread(this::restore, "restore-terminal");
        try {
            if (terminal != null) {
                Runtime.getRuntime().addShutdownHook(restore); // first: there is no moment in which an end would leave the terminal raw
                terminal.raw();
                attachment.interactive(
                        () -> console.warn("\r\nThe connection to the daemon broke; trying again (Ctrl-C leaves) ...\r\n"),
                        () -> console.warn("Connected again.\r\n"));
                Signals.on("WINCH", () -> attachment.resize(Termios.size()));
            }
            signals.forward("INT", attachment);
            endWith("TERM");
            endWith("HUP");
            if (terminal != null) {
                if (joinedLater) {
                    background(() -> attachment.resize(Termios.size()));
                }
                attachment.type(console.in(), joinedLater);
            } else if (input) {
                attachment.feed(console.in());
            }
            Exit exit = attachment.await();
            restore();
            String signal = endedBy;
            if (signal != null) {
                return ForwardedSignals.exitCode(signal);
            }
            return exit == null ? -1 : Ending.report(console, exit);
        } finally {
            restore();
        }
    }

    /** What ends this process ends its command too, unless that one was there before: a terminal is hung up, a pipe is told. */
    private void endWith(String name) {
        if (joinedLater) {
            signals.direct(name, () -> System.exit(ForwardedSignals.exitCode(name)));
        } else if (pty) {
            signals.direct(name, () -> {
                endedBy = name;
                hangUp();
                System.exit(ForwardedSignals.exitCode(name));
            });
        } else {
            signals.forward(name, attachment);
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

    private void restore() {
        if (terminal != null) {
            terminal.restore();
        }
    }
}
