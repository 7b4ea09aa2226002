package dev.sandglass.pool.archive;

import dev.sandglass.engine.archive.ArchiveFormat;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that is refused when more comes of it than may, read or skipped. Not thread-safe. */
final class BoundedStream extends FilterInputStream {
    private final long most;
    private long count;

    BoundedStream(InputStream source, long most) {
        super(source);
        this.most = most;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        note(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        note(Math.max(0, read));
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        long skipped = super.skip(Math.min(bytes, most - count + 1));
        note(skipped);
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void note(long bytes) {
        count += bytes;
        if (count > most) {
            throw ArchiveFormat.refused("it has more than " + most + " bytes when it is expanded");
        }
    }
}
