package dev.sandglass.cli;

import dev.sandglass.cli.attach.Attachment;
import dev.sandglass.cli.terminal.Signals;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Signals to this process that are meant for the command it waits for; those that come before the command is known wait for it. Thread-safe. */
final class ForwardedSignals {
    /** So many of a kind that the command does not heed, and this process leaves it. */
    private static final int PATIENCE = 3;

    private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15, "HUP", 1);

    private final Map<String, Runnable> actions = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> held = new HashSet<>();
    private boolean caught;

    /** The exit code of a process that a signal ended. */
    static int exitCode(String name) {
        return 128 + NUMBERS.getOrDefault(name, 0);
    }

    /** From now on none of them ends this process: the command that it is starting would be left running. */
    synchronized void hold() {
        if (!caught) {
            caught = true;
            NUMBERS.keySet().forEach(name -> Signals.on(name, () -> arrived(name)));
        }
    }

    /** All of them go to the command. */
    void forward(Attachment attachment) {
        NUMBERS.keySet().forEach(name -> forward(name, attachment));
    }

    /** The command gets the signal first; only one that it ignores again and again ends this process. */
    void forward(String name, Attachment attachment) {
        direct(name, () -> attachment.signal(name));
    }

    /** From now on such a signal does this, also one that came already. */
    void direct(String name, Runnable action) {
        hold();
        boolean early;
        synchronized (this) {
            actions.put(name, action);
            early = held.remove(name);
        }
        if (early) {
            action.run();
        }
    }

    private void arrived(String name) {
        Runnable action;
        synchronized (this) {
            action = counts.merge(name, 1, Integer::sum) > PATIENCE ? () -> System.exit(exitCode(name)) : actions.get(name);
            if (action == null) {
                held.add(name);
                return;
            }
        }
        action.run();
    }
}
