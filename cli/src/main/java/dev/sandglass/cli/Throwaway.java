package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** A sandbox, snapshot or credential that is removed when this is closed, or when the process is told to end before that. */
final class Throwaway implements AutoCloseable {
    /** While its creation may be on its way, one that is not found may still appear. */
    private static final int TRIES = 10;

    /** What can be thrown away: its word, the verb that does it, and how. */
    private enum Kind {
        SANDBOX("sandbox", "rm", ErrorCode.SANDBOX_NOT_FOUND),
        SNAPSHOT("snapshot", "snapshot rm", ErrorCode.SNAPSHOT_NOT_FOUND),
        CREDENTIAL("credential", "credential rm", ErrorCode.CREDENTIAL_NOT_FOUND);

        private final String word;
        private final String verb;
        private final ErrorCode gone;

        Kind(String word, String verb, ErrorCode gone) {
            this.word = word;
            this.verb = verb;
            this.gone = gone;
        }

        void remove(Client client, String name) {
            switch (this) {
                case SANDBOX -> client.destroy(name);
                case SNAPSHOT -> client.deleteSnapshot(name);
                case CREDENTIAL -> client.credentials().delete(name);
            }
        }
    }

    private final Kind kind;
    private final Client client;
    private final String name;
    private final Console console;
    private boolean gone;
    private final Thread hook = new Thread(() -> remove(TRIES), "throw-away");

    /** A sandbox. */
    Throwaway(Client client, String name, Console console) {
        this(Kind.SANDBOX, client, name, console);
    }

    static Throwaway snapshot(Client client, String name, Console console) {
        return new Throwaway(Kind.SNAPSHOT, client, name, console);
    }

    static Throwaway credential(Client client, String name, Console console) {
        return new Throwaway(Kind.CREDENTIAL, client, name, console);
    }

    private Throwaway(Kind kind, Client client, String name, Console console) {
        this.kind = kind;
        this.client = client;
        this.name = name;
        this.console = console;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Removes it now; closing does nothing more then. */
    void remove() {
        remove(1);
    }

    @Override
    public void close() {
        remove(1);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endingAlready) {
            return;
        }
    }

    /** Whoever comes second waits until the first is done, so that the process does not end in between. */
    private synchronized void remove(int tries) {
        if (gone) {
            return;
        }
        gone = true;
        for (int left = tries; left > 0; left--) {
            try (client) {
                kind.remove(client, name);
                return;
            } catch (SandglassException problem) {
                if (problem.code() != kind.gone) {
                    console.warn("warning: the " + kind.word + " " + name + " could not be removed: " + Inert.lines(problem.what())
                            + "\nhint: Remove it with `sandglass " + kind.verb + " " + name + "`.\n");
                    return;
                }
            }
            if (left > 1) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
