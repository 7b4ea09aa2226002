package dev.sandglass.client.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The head and body of a request on their way out, gathered into large writes, in chunks where the length is unknown. */
final class BodyOutput extends OutputStream {
    private static final byte[] END = "0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);

    private final Line line;
    private final LineInput answers;
    private final byte[] buffer = new byte[65536];
    private int count;
    private boolean chunked;
    private long left = Long.MAX_VALUE;
    private boolean begun;
    private boolean refused;

    BodyOutput(Line line, LineInput answers) {
        this.line = line;
        this.answers = answers;
    }

    /** The head is written; what follows is the body of that length, -1 for chunks. */
    void begin(long length) throws IOException {
        if (length < 0) {
            send();
            chunked = true;
        } else {
            left = length;
        }
    }

    /** Whether it was the peer that took no more or has answered already, and not the source that failed. */
    boolean refused() {
        return refused;
    }

    /** The body is written. */
    void end() throws IOException {
        send();
        if (chunked) {
            transmit(END, 0, END.length);
        } else if (left != 0 && left != Long.MAX_VALUE) {
            throw new IOException("the body is " + left + " bytes shorter than announced");
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (left != Long.MAX_VALUE) {
            if (length > left) {
                throw new IOException("the body is longer than announced");
            }
            left -= length;
        }
        int done = 0;
        while (done < length) {
            if (count == buffer.length) {
                send();
            }
            int part = Math.min(length - done, buffer.length - count);
            System.arraycopy(bytes, offset + done, buffer, count, part);
            count += part;
            done += part;
        }
    }

    private void send() throws IOException {
        if (count == 0) {
            return;
        }
        stopIfAnswered();
        if (chunked) {
            byte[] size = (Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
            transmit(size, 0, size.length);
            transmit(buffer, 0, count);
            transmit(END, 1, 2);
        } else {
            transmit(buffer, 0, count);
        }
        count = 0;
    }

    /** A peer that answers in the middle of a body wants no more of it. */
    private void stopIfAnswered() throws IOException {
        if (begun && answers.arrived()) {
            refused = true;
            throw new IOException("the server answered before all was sent");
        }
        begun = true;
    }

    private void transmit(byte[] bytes, int offset, int length) throws IOException {
        try {
            line.write(bytes, offset, length);
        } catch (IOException problem) {
            refused = true;
            throw problem;
        }
    }
}
