package dev.sandglass.pool.archive;

import dev.sandglass.engine.oci.Refusal;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A target of a layer that refuses more than any may have. Not thread-safe. */
final class BoundedTarget extends FilterOutputStream {
    private long left;
    private final long most;

    BoundedTarget(OutputStream target, long most) {
        super(target);
        this.most = most;
        this.left = most;
    }

    /** Refuses what would be too much, before any of it is read. */
    void require(long bytes) {
        if (bytes > left) {
            throw Refusal.ofDisk("a layer of it has more than " + most + " bytes, which no image may have");
        }
    }

    @Override
    public void write(int value) throws IOException {
        require(1);
        out.write(value);
        left--;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        require(length);
        out.write(bytes, from, length);
        left -= length;
    }
}
