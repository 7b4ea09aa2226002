package dev.sandglass.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;

/** What is written to a file: a megabyte that does not compress, over and over. Thread-safe. */
public final class Content {
    private static final int MEBI = 1 << 20;

    private final byte[] block = new byte[MEBI];
    private final int megabytes;

    Content(int megabytes) {
        this.megabytes = megabytes;
        new Random(1).nextBytes(block);
    }

    public long length() {
        return (long) megabytes * MEBI;
    }

    public void writeTo(OutputStream out) throws IOException {
        for (int i = 0; i < megabytes; i++) {
            out.write(block);
        }
    }
}
