package dev.sandglass.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/**
 * Sends bytes out of a sandbox.
 *
 * <p>The first piece is read before the answer begins: so a failure there still gets a proper error, and small files have their
 * true length, which in /proc and /sys is not the one that their entry tells.
 */
public final class Download {
    public static final long UNKNOWN_LENGTH = 0;

    private static final int PIECE = 1 << 16;

    private Download() {}

    /** Begins an answer whose body has that length, if it is known. */
    @FunctionalInterface
    public interface Begin {
        OutputStream with(OptionalLong length);
    }

    /** @param length how many bytes there should be; a body that then differs breaks off */
    public static void send(Begin begin, InputStream bytes, long length) throws IOException {
        byte[] piece = new byte[PIECE];
        int read = bytes.readNBytes(piece, 0, PIECE);
        OptionalLong known = read < PIECE ? OptionalLong.of(read) : length > read ? OptionalLong.of(length) : OptionalLong.empty();
        OutputStream body = begin.with(known);
        long left = known.orElse(Long.MAX_VALUE);
        while (read > 0) {
            body.write(piece, 0, read);
            left -= read;
            read = bytes.read(piece, 0, (int) Math.min(PIECE, left));
        }
    }
}
