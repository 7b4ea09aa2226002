package dev.sandglass.engine.guest;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * A file operation, or one on services, under way: its output as bytes or records, its input, its end. An {@link InputStream} of the raw output;
 * a failure of the operation is thrown from {@code read} as a {@link SandglassException}. Used by one thread; closing it
 * cancels what is not finished.
 */
public final class GuestFile extends InputStream {
    private static final int MAX_RECORD_BYTES = 1 << 17;
    /** Of input, where the agent takes long ones. */
    private static final int FRAME_BYTES = Protocol.MAX_LONG_FRAME_BYTES - Protocol.HEADER_BYTES;

    /** A worker may go through a million files before it says anything. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    /** What it means to a user that an operation was refused. */
    interface Meaning {
        SandglassException of(int errno, String text);
    }

    private final GuestStream stream;
    private final GuestReader reader;
    private final Meaning meaning;
    private Duration patience = PATIENCE;
    /** As {@link System#nanoTime()}, if the operation has an end at all. */
    private Optional<Long> deadline = Optional.empty();
    private ByteBuffer current = ByteBuffer.allocate(0);
    private Optional<FieldReader> failure = Optional.empty();
    private boolean ended;

    GuestFile(GuestReader reader, Meaning meaning) {
        this.stream = reader.stream();
        this.reader = reader;
        this.meaning = meaning;
    }

    /** How long the operation may stand still before it is given up. */
    public GuestFile patience(Duration changed) {
        patience = changed;
        return this;
    }

    /** How long the operation may take, however much comes meanwhile. */
    public GuestFile within(Duration whole) {
        deadline = Optional.of(System.nanoTime() + whole.toNanos());
        return patience(whole);
    }

    @Override
    public int read() throws IOException {
        return fill() ? Byte.toUnsignedInt(current.get()) : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int done = 0;
        do {
            int part = Math.min(length - done, current.remaining());
            current.get(bytes, offset + done, part);
            done += part;
        } while (done < length && reader.hasNext() && fill()); // a frame is small: as many as have come
        return done;
    }

    /** The next record of the output, or empty at its end. */
    public Optional<FieldReader> nextRecord() throws IOException {
        if (!fill()) {
            return Optional.empty();
        }
        int length = ByteBuffer.wrap(exactly(4)).getInt();
        if (length < 0 || length > MAX_RECORD_BYTES) {
            throw new ProtocolException("record length: " + length + " (expected: <= " + MAX_RECORD_BYTES + ")");
        }
        return Optional.of(new FieldReader(ByteBuffer.wrap(exactly(length))));
    }

    /** The one record that the operation must give. */
    public FieldReader record() throws IOException {
        return nextRecord().orElseThrow(() -> new ProtocolException("a record is missing"));
    }

    /** Waits for the end of the operation and drops what is left of its output; throws when it failed. */
    public void finish() throws IOException {
        while (fill()) {
            current.position(current.limit());
        }
    }

    /** Sends all of the body as the operation's input; returns early when the operation ends before. */
    public void sendAll(InputStream body) throws IOException {
        byte[] bytes = new byte[1 << 17];
        int kept = 0;
        try {
            for (int read = body.read(bytes); read >= 0; read = body.read(bytes, kept, bytes.length - kept)) {
                int there = kept + read;
                int whole = there - there % FRAME_BYTES;
                int sent = whole > 0 ? whole : there; // what is left of whole frames is the beginning of the next one
                stream.write(bytes, 0, sent, patience);
                kept = there - sent;
                System.arraycopy(bytes, sent, bytes, 0, kept);
            }
            stream.write(bytes, 0, kept, patience);
            stream.end();
        } catch (InterruptedException stopped) {
            throw interrupted(stopped);
        } catch (SandglassException problem) {
            if (problem.code() != ErrorCode.STDIN_CLOSED) {
                throw problem;
            }
            // The worker has ended before it read everything: its own error, which finish() throws, says why.
        }
    }

    @Override
    public void close() {
        stream.close();
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; ) {
            int read = read(bytes, at, length - at);
            if (read < 0) {
                throw new EOFException("a record is cut off");
            }
            at += read;
        }
        return bytes;
    }

    /** Makes sure that there are bytes; false at the end. */
    private boolean fill() throws IOException {
        while (!current.hasRemaining() && !ended) {
            switch (nextEvent()) {
                case GuestEvent.Output(int kind, _, ByteBuffer bytes) when kind == 1 -> current = bytes;
                case GuestEvent.Output(_, _, ByteBuffer bytes) -> failure = Optional.of(new FieldReader(bytes));
                case GuestEvent.Ended(GuestExit exit) -> end(exit);
                case GuestEvent.Refused(int errno, _, String text) -> throw meaning.of(errno, text);
                case GuestEvent.Eof() -> {}
                case GuestEvent.Closed() -> throw new EOFException("closed");
            }
        }
        return current.hasRemaining();
    }

    private GuestEvent nextEvent() throws IOException {
        try {
            return reader.next(deadline.map(end -> Duration.ofNanos(Math.max(0, end - System.nanoTime()))).orElse(patience));
        } catch (InterruptedException stopped) {
            throw interrupted(stopped);
        }
    }

    private void end(GuestExit exit) throws IOException {
        ended = true;
        if (exit.status() == 0) {
            return;
        }
        if (failure.isPresent()) {
            FieldReader reason = failure.get();
            throw meaning.of((int) reason.number(1), reason.text(2).orElse("no reason given"));
        }
        throw new SandglassException(
                ErrorCode.FILE_REFUSED,
                "The file operation was killed (status " + exit.status() + ").",
                "The sandbox may be out of memory; raise --memory or end something in it.");
    }

    private static InterruptedIOException interrupted(InterruptedException stopped) {
        Thread.currentThread().interrupt();
        InterruptedIOException problem = new InterruptedIOException("interrupted");
        problem.initCause(stopped);
        return problem;
    }
}
