package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The way to an agent, which a test can shut: then whoever writes waits, as for an agent that takes nothing. It remembers what went through.
 * Thread-safe.
 */
final class Sluice implements WritableByteChannel {
    private final GuestChannel guest;
    private boolean shut;
    private boolean heldUp;
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();

    Sluice(GuestChannel guest) {
        this.guest = guest;
    }

    GuestChannel channel() {
        return new GuestChannel(guest.fromGuest(), this);
    }

    synchronized void shut() {
        shut = true;
    }

    synchronized void open() {
        shut = false;
        notifyAll();
    }

    synchronized void awaitHeldUp() throws InterruptedException {
        while (!heldUp) {
            wait();
        }
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        pass();
        ByteBuffer all = bytes.duplicate();
        int count = guest.toGuest().write(bytes);
        remember(all.limit(all.position() + count));
        return count;
    }

    private synchronized void remember(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        passed.writeBytes(copy);
    }

    /** On which streams the agent was sent frames of that type, in their order. */
    synchronized List<Integer> streams(int type) {
        List<Integer> streams = new ArrayList<>();
        for (ByteBuffer rest = ByteBuffer.wrap(passed.toByteArray()); rest.remaining() >= Protocol.HEADER_BYTES; ) {
            int length = Short.toUnsignedInt(rest.getShort());
            boolean isOne = Byte.toUnsignedInt(rest.get()) == type;
            rest.get();
            int stream = rest.getInt();
            if (isOne) {
                streams.add(stream);
            }
            rest.position(Math.min(rest.limit(), rest.position() + length));
        }
        return streams;
    }

    private synchronized void pass() throws IOException {
        try {
            while (shut) {
                heldUp = true;
                notifyAll();
                wait();
            }
        } catch (InterruptedException closed) {
            throw new InterruptedIOException("closed");
        } finally {
            heldUp = false;
        }
    }

    @Override
    public boolean isOpen() {
        return guest.toGuest().isOpen();
    }

    @Override
    public void close() throws IOException {
        guest.toGuest().close();
    }
}
