package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

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
    List<Integer> streams(int type) {
        return sent(type).map(Sent::stream).toList();
    }

    /** How many bytes the longest frame of that type had, its header included. */
    int longest(int type) {
        return sent(type).mapToInt(Sent::bytes).max().orElse(0);
    }

    private record Sent(int type, int stream, int bytes) {}

    private synchronized Stream<Sent> sent(int type) {
        List<Sent> frames = new ArrayList<>();
        for (ByteBuffer rest = ByteBuffer.wrap(passed.toByteArray()); rest.remaining() >= Protocol.HEADER_BYTES; ) {
            int length = Short.toUnsignedInt(rest.getShort());
            int kind = Byte.toUnsignedInt(rest.get());
            rest.get();
            frames.add(new Sent(kind, rest.getInt(), Protocol.HEADER_BYTES + length));
            rest.position(Math.min(rest.limit(), rest.position() + length));
        }
        return frames.stream().filter(frame -> frame.type() == type);
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
