package dev.sandglass.engine.oci;

import dev.sandglass.wire.Sha256;
import dev.sandglass.wire.oci.Descriptor;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.LongConsumer;

/** The bytes of a blob, held to the size and digest that its descriptor says. Not thread-safe. */
final class Checked extends FilterInputStream {
    private final Descriptor descriptor;
    private final Digest digest;
    private final LongConsumer came;
    private final MessageDigest sum = Sha256.begin();
    private long count;
    private boolean ended;

    /** @param came told of bytes as they come */
    Checked(InputStream source, Descriptor descriptor, LongConsumer came) {
        super(source);
        this.descriptor = descriptor;
        this.digest = Digest.of(descriptor.digest());
        this.came = came;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = in.read(buffer, offset, length);
        if (read < 0) {
            ended = true;
            return -1;
        }
        count += read;
        if (count > descriptor.size()) {
            throw Refusal.of("the blob " + digest + " has more than the " + descriptor.size() + " bytes that were told");
        }
        sum.update(buffer, offset, read);
        came.accept(read);
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        byte[] dropped = new byte[(int) Math.min(bytes, 1 << 16)];
        return bytes <= 0 ? 0 : Math.max(0, read(dropped, 0, dropped.length));
    }

    /** There may be more until the end was seen: what expands members one after the other stops where nothing is. */
    @Override
    public int available() throws IOException {
        return ended ? 0 : Math.max(1, in.available());
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /** Reads what is left, and refuses a blob that is not the one that was asked for. */
    void finish() throws IOException {
        transferTo(OutputStream.nullOutputStream());
        if (count != descriptor.size()) {
            throw Refusal.of("the blob " + digest + " has " + count + " bytes (expected: " + descriptor.size() + ")");
        }
        String found = HexFormat.of().formatHex(sum.digest());
        if (!found.equals(digest.hex())) {
            throw Refusal.of("a blob has the digest sha256:" + found + " (expected: " + digest + ")");
        }
    }
}
