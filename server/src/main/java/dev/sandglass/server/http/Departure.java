package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Ends the waits of a call whose client has left, or that the stop of the daemon cuts short. Thread-safe.
 *
 * <p>Only threads inside {@link #await} are interrupted: an interrupt anywhere else could close a channel that others share.
 */
public final class Departure {
    private final Set<Thread> waiting = new HashSet<>();
    private boolean happened;
    private boolean departed;
    private boolean expelled;
    private Bearer bearer = Bearer.OWNER;

    /** Waits for something; {@code InterruptedException} tells that nobody waits for it any more. */
    public <T> T await(Wait<T> wait) throws IOException, InterruptedException {
        enter();
        try {
            return wait.get();
        } finally {
            leave();
        }
    }

    /** Ends all waits, those to come too. */
    public synchronized void happen() {
        happened = true;
        waiting.forEach(Thread::interrupt);
    }

    /** Whose call it is. */
    synchronized void of(Bearer caller) {
        bearer = caller;
    }

    synchronized Bearer bearer() {
        return bearer;
    }

    /** The key with which it was begun is none any more. */
    synchronized void expel() {
        expelled = true;
        happen();
    }

    /** What its client is told if it happened before there was an answer. */
    synchronized SandglassException refusal() {
        return expelled ? Gatekeeper.unknown() : shuttingDown();
    }

    static SandglassException shuttingDown() {
        return new SandglassException(
                ErrorCode.SHUTTING_DOWN, "The daemon is stopping.", "Try again in a moment; sandboxes and commands go on without it.");
    }

    /** The client itself has left. */
    synchronized void depart() {
        departed = true;
        happen();
    }

    synchronized boolean departed() {
        return departed;
    }

    synchronized boolean happened() {
        return happened;
    }

    private synchronized void enter() throws InterruptedException {
        if (happened) {
            throw new InterruptedException("nobody waits any more");
        }
        waiting.add(Thread.currentThread());
    }

    /** Takes a late interrupt away, so that closing what was waited on runs undisturbed. */
    private synchronized void leave() {
        waiting.remove(Thread.currentThread());
        if (happened) {
            Thread.interrupted();
        }
    }
}
