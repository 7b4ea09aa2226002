package dev.sandglass.bench;

import java.io.IOException;
import java.util.List;

/** Something that runs sandboxes. */
public interface Contender extends Rounds.Entrant, AutoCloseable {
    /** Makes a sandbox, runs {@code true} in it, takes it away. */
    void life(Laps laps) throws IOException;

    /** Starts a sandbox that stays until it is closed. May be called from several threads at once. */
    Running start() throws IOException;

    /** Takes away whatever is left of its sandboxes. */
    @Override
    void close() throws IOException;

    /** A sandbox at work. */
    interface Running extends AutoCloseable {
        /** Runs {@code true} to its end. */
        void exec() throws IOException;

        void write(Content content) throws IOException;

        /** Reads what was written; returns how many bytes that were. */
        long read() throws IOException;

        /** How long it took a program inside to start {@code true} and see its end, so many times; empty if nothing tells. */
        List<Long> startsInside(int times) throws IOException;

        /** The same sandbox, for another thread; closing it leaves the sandbox. */
        Running beside();

        @Override
        void close() throws IOException;
    }
}
