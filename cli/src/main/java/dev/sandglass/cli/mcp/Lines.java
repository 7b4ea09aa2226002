package dev.sandglass.cli.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/** Lines of a stream, within a bound. Used by one thread. */
final class Lines {
    /** What the daemon takes of a message, without the byte that tells its kind. */
    static final int MOST = (1 << 20) - 1;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int end;

    Lines(InputStream in) {
        this.in = in;
    }

    /** The next line that has something; nothing at the end, and an empty one in the place of one that is too long. */
    Optional<byte[]> next() throws IOException {
        byte[] line = new byte[1024];
        int length = 0;
        boolean more = true;
        while (more || length > 0) {
            if (at == end) {
                end = in.read(buffer);
                at = 0;
                more = end > 0;
                end = Math.max(0, end);
            }
            boolean whole = !more || (at < end && buffer[at] == '\n');
            if (whole) {
                at += more ? 1 : 0;
                if (length > MOST) {
                    return Optional.of(new byte[0]);
                }
                byte[] found = stripped(line, length);
                if (found.length > 0) {
                    return Optional.of(found);
                }
                length = 0;
            } else {
                int stop = at;
                while (stop < end && buffer[stop] != '\n') {
                    stop++;
                }
                int kept = Math.min(stop - at, MOST + 1 - length);
                if (length + kept > line.length) {
                    line = Arrays.copyOf(line, Math.max(length + kept, line.length * 2));
                }
                System.arraycopy(buffer, at, line, length, kept);
                length += kept;
                at = stop;
            }
        }
        return Optional.empty();
    }

    private static byte[] stripped(byte[] line, int length) {
        int begin = 0;
        int stop = length;
        while (begin < stop && isSpace(line[begin])) {
            begin++;
        }
        while (stop > begin && isSpace(line[stop - 1])) {
            stop--;
        }
        return Arrays.copyOfRange(line, begin, stop);
    }

    private static boolean isSpace(byte value) {
        return value == ' ' || value == '\t' || value == '\r';
    }
}
