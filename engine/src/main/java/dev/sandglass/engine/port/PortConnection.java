package dev.sandglass.engine.port;

import dev.sandglass.engine.guest.GuestEvent;
import dev.sandglass.engine.guest.GuestReader;
import dev.sandglass.engine.guest.GuestStream;
import dev.sandglass.engine.life.LiveSandbox;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A connection to a program inside a sandbox. One thread reads, one writes, any closes it; who waits then is told. What waits here is bounded, and who does not read stops
 * the program's writes and nothing else.
 */
public final class PortConnection implements AutoCloseable {
    /** For who sets no time. */
    public static final Duration FOR_EVER = GuestReader.FOR_EVER;

    private final LiveSandbox in;
    private final int port;
    private final GuestReader reader;
    private final GuestStream stream;
    private ByteBuffer current = ByteBuffer.allocate(0);
    private boolean ended;
    private volatile boolean closed;

    PortConnection(LiveSandbox in, int port, GuestReader reader) {
        this.in = in;
        this.port = port;
        this.reader = reader;
        this.stream = reader.stream();
    }

    public LiveSandbox sandbox() {
        return in;
    }

    public int port() {
        return port;
    }

    /**
     * Reads what has come, at least one byte; -1 when the program sends no more.
     *
     * @param patience {@link SocketTimeoutException} when nothing has come in that time
     */
    public int read(byte[] bytes, int offset, int length, Duration patience) throws IOException {
        int done = 0;
        while (done < length && (done == 0 || current.hasRemaining() || reader.hasNext()) && fill(patience)) { // a frame is small: as many as have come
            int part = Math.min(length - done, current.remaining());
            current.get(bytes, offset + done, part);
            done += part;
        }
        return done == 0 && length > 0 ? -1 : done;
    }

    /**
     * Sends all of it; waits while the program does not read.
     *
     * @param patience {@link SocketTimeoutException} when nothing was taken in that time
     */
    public void write(byte[] bytes, int offset, int length, Duration patience) throws IOException {
        try {
            stream.write(bytes, offset, length, patience);
        } catch (SandglassException problem) {
            throw broken(problem);
        } catch (InterruptedException stopped) {
            throw interrupted(stopped);
        }
    }

    /** Nothing more is sent; what the program sends can still be read. */
    public void end() {
        stream.end();
    }

    /** Nobody uses it for now: the sandbox may go to rest as if it were not there. */
    public void rest() {
        stream.use(false);
    }

    /** Somebody uses it again; false when the program has closed it or said something unasked meanwhile, or is not reached any more. */
    public boolean wake() {
        stream.use(true);
        return in.link().isOpen() && !closed && !ended && !current.hasRemaining() && !reader.hasNext();
    }

    /** Cuts it off, unless both sides have ended already. */
    @Override
    public void close() {
        closed = true;
        stream.close();
    }

    /** Makes sure that there are bytes; false at the end. */
    private boolean fill(Duration patience) throws IOException {
        while (!current.hasRemaining() && !ended) {
            switch (next(patience)) {
                case GuestEvent.Output(_, _, ByteBuffer bytes) -> current = bytes;
                case GuestEvent.Eof(), GuestEvent.Ended(_) -> ended = true;
                case GuestEvent.Refused(_, _, String text) -> throw new IOException("The connection to " + in.name() + " broke: " + text);
                case GuestEvent.Closed() -> throw new IOException("closed");
            }
        }
        return current.hasRemaining();
    }

    private GuestEvent next(Duration patience) throws IOException {
        try {
            return reader.next(patience);
        } catch (SandglassException problem) {
            throw broken(problem);
        } catch (InterruptedException stopped) {
            throw interrupted(stopped);
        }
    }

    private IOException broken(SandglassException problem) {
        if (closed) {
            return new IOException("closed", problem);
        }
        if (problem.code() == ErrorCode.GUEST_TIMEOUT) {
            SocketTimeoutException late = new SocketTimeoutException("Port " + port + " of " + in.name() + " stands still.");
            late.initCause(problem);
            return late;
        }
        return new IOException("The connection to port " + port + " of " + in.name() + " broke: " + problem.what(), problem);
    }

    private static InterruptedIOException interrupted(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        InterruptedIOException problem = new InterruptedIOException("interrupted");
        problem.initCause(stopped);
        return problem;
    }
}
