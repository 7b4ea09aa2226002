package dev.sandglass.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What comes in on a line, buffered: bytes, exact blocks and lines of text. */
final class LineInput {
    private final Line line;
    private final byte[] buffer = new byte[65536];
    private int position;
    private int limit;

    LineInput(Line line) {
        this.line = line;
    }

    /** The next byte; an end is an error. */
    int next() throws IOException {
        if (position == limit) {
            fill();
        }
        return buffer[position++] & 0xff;
    }

    /** Whether the peer has said something, or that it says nothing more; does not wait. */
    boolean arrived() throws IOException {
        if (position < limit) {
            return true;
        }
        position = 0;
        int count = line.readNow(buffer, 0, buffer.length);
        limit = Math.max(0, count);
        return count != 0;
    }

    /** Some bytes, at least one; -1 at the end. */
    int read(byte[] target, int offset, int length) throws IOException {
        if (position == limit) {
            if (length >= buffer.length) {
                return line.read(target, offset, length);
            }
            position = 0;
            limit = Math.max(0, line.read(buffer, 0, buffer.length));
            if (limit == 0) {
                return -1;
            }
        }
        int count = Math.min(length, limit - position);
        System.arraycopy(buffer, position, target, offset, count);
        position += count;
        return count;
    }

    /** All of the bytes asked for; an end before is an error. */
    void readFully(byte[] target, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int count = read(target, offset + done, length - done);
            if (count < 0) {
                throw new EOFException("the connection ended");
            }
            done += count;
        }
    }

    /** A line without its end (CRLF or LF). */
    String readLine(int maximum) throws IOException {
        byte[] text = new byte[128];
        int length = 0;
        while (true) {
            int value = next();
            if (value == '\n') {
                int end = length > 0 && text[length - 1] == '\r' ? length - 1 : length;
                return new String(text, 0, end, StandardCharsets.ISO_8859_1);
            }
            if (length == maximum) {
                throw new IOException("a line of the answer is longer than " + maximum + " bytes");
            }
            if (length == text.length) {
                text = java.util.Arrays.copyOf(text, length * 2);
            }
            text[length++] = (byte) value;
        }
    }

    private void fill() throws IOException {
        position = 0;
        limit = Math.max(0, line.read(buffer, 0, buffer.length));
        if (limit == 0) {
            throw new EOFException("the connection ended");
        }
    }
}
