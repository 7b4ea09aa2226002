package dev.sandglass.pool.manifest;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.wire.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The hash of a file's content, which is given from its beginning to its end. Where no whole chunk is zeros it is SHA-256 over all of it. Else it is
 * SHA-256 over what is left without those chunks and over where they are: so a hole takes no time, however large it is, and is the same as
 * zeros that were written. Not thread-safe.
 */
public final class ContentHash {
    /** Chunks begin at multiples of it; what is shorter at the end of a file is none. */
    public static final int CHUNK = 256 * 1024;

    private static final byte[] TAG = {'S', 'G', 'H', 'O', 'L', 'E', 'S', '1'};
    private static final byte[] ZEROS = new byte[CHUNK];

    private final MessageDigest kept = Sha256.begin();
    private final MessageDigest runs = Sha256.begin();
    private long position;
    /** Of this chunk, which has nothing but zeros so far; -1 if it has something else. */
    private int zeros;

    private long runBegin;
    private long runEnd;

    public void update(byte[] bytes, int from, int length) {
        int at = from;
        while (at < from + length) {
            int count = Math.min(from + length - at, CHUNK - inChunk());
            if (zeros >= 0 && isZero(bytes, at, count)) {
                zeros += count;
            } else {
                keep();
                kept.update(bytes, at, count);
            }
            at += count;
            advance(count);
        }
    }

    /** Takes so many zeros. */
    public void hole(long length) {
        long left = length;
        if (inChunk() > 0) {
            left -= partOfHole((int) Math.min(left, CHUNK - inChunk()));
        }
        long chunks = left / CHUNK;
        if (chunks > 0) {
            leaveOut(position, chunks * CHUNK);
            position += chunks * CHUNK;
            left -= chunks * CHUNK;
        }
        partOfHole((int) left);
    }

    private int partOfHole(int count) {
        if (zeros >= 0) {
            zeros += count;
        } else {
            kept.update(ZEROS, 0, count);
        }
        advance(count);
        return count;
    }

    /** The hash; nothing is taken afterwards. */
    public Bytes finish() {
        keep(); // the last chunk is not whole
        if (runEnd == 0) {
            return Bytes.of(kept.digest());
        }
        endRun();
        MessageDigest all = Sha256.begin();
        all.update(TAG);
        all.update(number(position));
        all.update(kept.digest());
        return Bytes.of(all.digest(runs.digest()));
    }

    private int inChunk() {
        return (int) (position % CHUNK);
    }

    private void advance(int count) {
        position += count;
        if (count > 0 && inChunk() == 0) {
            if (zeros == CHUNK) {
                leaveOut(position - CHUNK, CHUNK);
            }
            zeros = 0;
        }
    }

    /** What this chunk has so far is not left out. */
    private void keep() {
        if (zeros > 0) {
            kept.update(ZEROS, 0, zeros);
        }
        zeros = -1;
    }

    private void leaveOut(long begin, long length) {
        if (begin != runEnd || runEnd == 0) {
            endRun();
            runBegin = begin;
        }
        runEnd = begin + length;
    }

    private void endRun() {
        if (runEnd > 0) {
            runs.update(number(runBegin));
            runs.update(number(runEnd));
        }
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static boolean isZero(byte[] bytes, int from, int length) {
        return Arrays.mismatch(bytes, from, from + length, ZEROS, 0, length) < 0;
    }
}
