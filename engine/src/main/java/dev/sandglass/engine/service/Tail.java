package dev.sandglass.engine.service;

import java.io.IOException;
import java.io.InputStream;

/** The last lines of an output of which nobody knows how long it is. */
final class Tail {
    /** More than an agent keeps: a hostile one is not read for ever. */
    private static final long MOST_BYTES = 16 << 20;

    private Tail() {}

    /** How many bytes the last lines of it have; a line that is not ended counts. */
    static int bytes(InputStream output, int lines) throws IOException {
        long[] begins = new long[Math.max(1, lines)]; // of the last lines, in a ring
        long count = 0;
        long at = 0;
        boolean begin = true;
        byte[] piece = new byte[1 << 16];
        for (int read = output.read(piece); read >= 0 && at < MOST_BYTES; read = output.read(piece)) {
            for (int i = 0; i < read; i++, at++) {
                if (begin) {
                    begins[(int) (count++ % begins.length)] = at;
                }
                begin = piece[i] == '\n';
            }
        }
        if (lines == 0 || count == 0) {
            return 0;
        }
        return (int) (at - begins[(int) (count <= begins.length ? 0 : count % begins.length)]);
    }
}
