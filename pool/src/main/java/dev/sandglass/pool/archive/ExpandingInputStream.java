package dev.sandglass.pool.archive;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.sandglass.engine.archive.ArchiveFormat;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Expands what zstd compressed, in bounded memory, and refuses what it did not. */
final class ExpandingInputStream extends FilterInputStream {
    /** The largest window, as a power of two, that the levels of zstd use without being asked for more. */
    private static final int WINDOW = 23;

    ExpandingInputStream(InputStream source) throws IOException {
        super(stream(source));
    }

    private static InputStream stream(InputStream source) throws IOException {
        ZstdInputStreamNoFinalizer stream = new ZstdInputStreamNoFinalizer(source);
        stream.setLongMax(WINDOW);
        return stream;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        try {
            return in.read(target, from, length);
        } catch (ZstdIOException damaged) {
            throw ArchiveFormat.refused("zstd cannot expand it: " + damaged.getMessage());
        }
    }
}
