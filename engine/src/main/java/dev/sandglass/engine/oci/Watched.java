package dev.sandglass.engine.oci;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream of which somebody is asked now and then whether it is to go on. Not thread-safe. */
final class Watched extends FilterOutputStream {
    private static final long STEP = 1 << 20;

    private final Runnable look;
    private long unseen;

    /** @param look ends it by what it throws */
    Watched(OutputStream target, Runnable look) {
        super(target);
        this.look = look;
    }

    @Override
    public void write(int value) throws IOException {
        out.write(value);
        note(1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        out.write(bytes, from, length);
        note(length);
    }

    private void note(long bytes) {
        unseen += bytes;
        if (unseen >= STEP) {
            unseen = 0;
            look.run();
        }
    }
}
