package dev.sandglass.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The body of an answer: of known length, in chunks, or until the connection ends. */
final class BodyInput extends InputStream {
    private static final int MAX_LINE = 8192;
    private static final int LARGE_PIECE = 1 << 17;

    private final LineInput in;
    private final boolean chunked;
    private final boolean untilEnd;
    private long left;
    private boolean firstChunk = true;
    private boolean done;

    private BodyInput(LineInput in, boolean chunked, boolean untilEnd, long left) {
        this.in = in;
        this.chunked = chunked;
        this.untilEnd = untilEnd;
        this.left = left;
        this.done = !chunked && !untilEnd && left == 0;
    }

    static BodyInput ofLength(LineInput in, long length) {
        return new BodyInput(in, false, false, length);
    }

    static BodyInput ofChunks(LineInput in) {
        return new BodyInput(in, true, false, 0);
    }

    static BodyInput untilEnd(LineInput in) {
        return new BodyInput(in, false, true, Long.MAX_VALUE);
    }

    /** Whether all of it was read and the connection can serve the next request. */
    boolean complete() {
        return done && !untilEnd;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (chunked && !done && left == 0) {
            nextChunk();
        }
        if (done) {
            return -1;
        }
        int count = in.read(target, offset, (int) Math.min(length, left));
        if (count < 0) {
            if (untilEnd) {
                done = true;
                return -1;
            }
            throw new EOFException("the connection ended in the middle of the answer");
        }
        left -= count;
        done = !chunked && !untilEnd && left == 0;
        return count;
    }

    /** In pieces so large that they come straight from the line. */
    @Override
    public long transferTo(OutputStream out) throws IOException {
        byte[] piece = new byte[LARGE_PIECE];
        long count = 0;
        for (int read = read(piece, 0, LARGE_PIECE); read >= 0; read = read(piece, 0, LARGE_PIECE)) {
            out.write(piece, 0, read);
            count += read;
        }
        return count;
    }

    private void nextChunk() throws IOException {
        if (!firstChunk && !in.readLine(2).isEmpty()) {
            throw new IOException("malformed chunk: no line end after its data");
        }
        firstChunk = false;
        String size = in.readLine(MAX_LINE);
        int end = size.indexOf(';');
        try {
            left = Long.parseLong((end < 0 ? size : size.substring(0, end)).strip(), 16);
        } catch (NumberFormatException malformed) {
            throw new IOException("malformed chunk size", malformed);
        }
        if (left < 0) {
            throw new IOException("malformed chunk size: " + left);
        }
        if (left == 0) {
            for (int trailers = 0; !in.readLine(MAX_LINE).isEmpty(); trailers++) {
                if (trailers == 100) {
                    throw new IOException("too many trailers");
                }
            }
            done = true;
        }
    }
}
