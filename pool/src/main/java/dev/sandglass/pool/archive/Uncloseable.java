package dev.sandglass.pool.archive;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that whoever writes to it cannot close. */
final class Uncloseable extends FilterOutputStream {
    Uncloseable(OutputStream target) {
        super(target);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        out.write(bytes, from, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
