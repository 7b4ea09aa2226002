package dev.sandglass.server.http;

import java.io.InputStream;
import java.util.Arrays;

/** So many zero bytes. */
public final class Zeros extends InputStream {
    private long left;

    public Zeros(long count) {
        this.left = count;
    }

    @Override
    public int read() {
        return left-- > 0 ? 0 : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        if (left <= 0) {
            return -1;
        }
        int count = (int) Math.min(left, length);
        Arrays.fill(bytes, offset, offset + count, (byte) 0);
        left -= count;
        return count;
    }
}
