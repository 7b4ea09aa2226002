package dev.sandglass.engine.trace;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;

/** Tells how long each kind of work took and what came of it, whoever asked for it. Thread-safe. */
public final class Stopwatch {
    private static final String SUCCEEDED = "succeeded";

    /** Is told of all work. It must be quick. */
    public interface Watcher {
        /** @param result {@code succeeded}, or the code of the error */
        void done(String kind, String result, long nanos);
    }

    /** Work that is timed. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    private volatile Watcher watcher = (_, _, _) -> {};

    /** From now on this one is told, and no other. */
    public void watch(Watcher next) {
        watcher = next;
    }

    /** @param kind one of few words of this program: each is kept for ever */
    public <T, E extends Exception> T time(String kind, Work<T, E> work) throws E {
        long begun = System.nanoTime();
        String result = ErrorCode.INTERNAL.text();
        try {
            T made = work.run();
            result = SUCCEEDED;
            return made;
        } catch (SandglassException refusal) {
            result = refusal.code().text();
            throw refusal;
        } finally {
            watcher.done(kind, result, System.nanoTime() - begun);
        }
    }
}
