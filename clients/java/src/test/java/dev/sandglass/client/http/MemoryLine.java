package dev.sandglass.client.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;

/** A line whose far end has said everything already, a few bytes at a time. */
final class MemoryLine implements Line {
    final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ByteArrayInputStream incoming;
    private final int step;

    MemoryLine(byte[] incoming, int step) {
        this.incoming = new ByteArrayInputStream(incoming);
        this.step = step;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
        return incoming.read(buffer, offset, Math.min(step, length));
    }

    @Override
    public int readNow(byte[] buffer, int offset, int length) {
        return incoming.available() == 0 ? 0 : read(buffer, offset, length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        written.write(bytes, offset, length);
    }

    @Override
    public void close() {}
}
