package dev.sandglass.cli;

import dev.sandglass.cli.client.Client;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** A sandbox that is removed when this is closed, or when the process is told to end before that. */
final class Throwaway implements AutoCloseable {
    /** While its creation may be on its way, one that is not found may still appear. */
    private static final int TRIES = 10;

    private final Client client;
    private final String name;
    private final Console console;
    private boolean gone;
    private final Thread hook = new Thread(() -> remove(TRIES), "remove-sandbox");

    Throwaway(Client client, String name, Console console) {
        this.client = client;
        this.name = name;
        this.console = console;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Removes it now; closing does nothing more then. */
    void remove() {
        remove(1);
    }

    /** It is not thrown away after all; closing does nothing then. */
    void keep() {
        synchronized (this) {
            gone = true;
        }
        client.close();
        unhook();
    }

    @Override
    public void close() {
        remove(1);
        unhook();
    }

    private void unhook() {
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
                client.destroy(name);
                return;
            } catch (SandglassException problem) {
                if (problem.code() != ErrorCode.SANDBOX_NOT_FOUND) {
                    console.warn("warning: the sandbox " + name + " could not be removed: " + Inert.lines(problem.what())
                            + "\nhint: Remove it with `sandglass rm " + name + "`.\n");
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
