package dev.sandglass.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Labelled output for whoever writes to a stream. Several may share what is behind it: lines are written whole. */
final class LabelledStream extends OutputStream {
    private final LabelledOutput output;
    private final Object lock;

    /** @param lock the same for all that share what is behind them */
    LabelledStream(LabelledOutput output, Object lock) {
        this.output = output;
        this.lock = lock;
    }

    /** Writes what is left of a line that has no end. */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            output.end();
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        synchronized (lock) {
            output.write(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }
}
