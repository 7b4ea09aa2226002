package dev.sandglass.engine.guest;

import dev.sandglass.engine.runtime.GuestChannel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** The way to an agent, which a test can shut: then whoever writes waits, as for an agent that takes nothing. Thread-safe. */
final class Sluice implements WritableByteChannel {
    private final GuestChannel guest;
    private boolean shut;
    private boolean heldUp;

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
        return guest.toGuest().write(bytes);
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
