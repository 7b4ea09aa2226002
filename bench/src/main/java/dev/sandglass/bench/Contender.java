package dev.sandglass.bench;

import java.io.IOException;

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

        void write(byte[] content) throws IOException;

        /** Reads what was written; returns how many bytes that were. */
        long read() throws IOException;

        @Override
        void close() throws IOException;
    }
}
