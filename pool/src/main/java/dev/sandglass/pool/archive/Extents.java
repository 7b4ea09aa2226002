package dev.sandglass.pool.archive;

import dev.sandglass.engine.manifest.Bytes;
import dev.sandglass.engine.manifest.EntryContent;
import dev.sandglass.linux.OpenFile;
import dev.sandglass.pool.manifest.ContentHash;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The content of a file without its holes: pieces, each with its offset and length, in order, and an offset of -1 at the end. Not thread-safe.
 */
final class Extents {
    private static final int PIECE = 256 * 1024;
    private static final long END = -1;

    private final ByteBuffer direct = ByteBuffer.allocateDirect(PIECE);
    private final byte[] heap = new byte[PIECE];

    /** Takes a piece of a file. */
    interface Sink {
        void take(ByteBuffer direct, long offset) throws IOException;
    }

    /** Writes a file of that size, and gives the hash of what was written. */
    Bytes send(OpenFile file, long size, DataOutputStream output) throws IOException {
        ContentHash hash = new ContentHash();
        long at = 0;
        for (long data = file.data(0); data >= 0 && data < size; data = file.data(at)) {
            long end = Math.min(size, file.hole(data));
            hash.hole(data - at);
            at = data;
            while (at < end) {
                ByteBuffer piece = file.read(direct, at, end - at);
                int length = piece.remaining();
                if (length == 0) {
                    throw new IOException("a file became shorter");
                }
                piece.get(heap, 0, length);
                hash.update(heap, 0, length);
                output.writeLong(at);
                output.writeInt(length);
                output.write(heap, 0, length);
                at += length;
            }
        }
        hash.hole(size - at);
        output.writeLong(END);
        return hash.finish();
    }

    /** Reads the pieces of a file, and refuses them if they are not those that the manifest tells of. */
    void receive(DataInputStream input, EntryContent.RegularFile file, List<Bytes> path, Sink sink) throws IOException {
        ContentHash hash = new ContentHash();
        long at = 0;
        try {
            for (long data = input.readLong(); data != END; data = input.readLong()) {
                int length = input.readInt();
                if (data < at || length <= 0 || length > PIECE || data > file.size() - length) {
                    throw Portability.refused(path, "a piece of " + length + " bytes at " + data + " (expected: within " + at + " to " + file.size() + ")");
                }
                hash.hole(data - at);
                input.readFully(heap, 0, length);
                hash.update(heap, 0, length);
                sink.take(direct.clear().put(heap, 0, length).flip(), data);
                at = data + length;
            }
        } catch (EOFException early) {
            throw Portability.refused(path, "the file ends in the middle of it");
        }
        hash.hole(file.size() - at);
        if (!hash.finish().equals(file.sha256())) {
            throw Portability.refused(path, "its content is not what the manifest says");
        }
    }
}
