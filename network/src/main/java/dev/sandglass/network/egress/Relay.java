package dev.sandglass.network.egress;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes bytes between two connections, both ways, until both have ended: the end of one direction is passed on as such, a reset as a reset. Who reads slowly
 * slows down who writes, and nothing is kept but one buffer for each direction.
 */
final class Relay implements AutoCloseable {
    private static final int SMALL = 8 << 10;
    private static final int LARGE = 256 << 10;
    /** For a client to say the rest of what is answered already, and again as long for it to say nothing. */
    private static final int FAREWELL_MILLIS = 2000;

    /** 32 MB in all, however many connections there are. */
    private static final Semaphore LARGE_ONES = new Semaphore(128);

    private final SocketChannel inside;
    private final SocketChannel outside;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    private final Thread back;
    private volatile boolean isAbandoned;

    /** Begins to pass on what comes from the world. */
    Relay(SocketChannel inside, SocketChannel outside) {
        this.inside = inside;
        this.outside = outside;
        this.back = Thread.startVirtualThread(() -> pump(outside, inside, ByteBuffer.allocate(0), received));
    }

    /** Bytes that went from the sandbox to the world. */
    long sent() {
        return sent.get();
    }

    /** Bytes that came from the world. */
    long received() {
        return received.get();
    }

    /**
     * Passes on what comes from the sandbox; returns when both directions have ended, or the connections were closed, which anybody may do.
     *
     * @param first what the sandbox has said already
     */
    void run(ByteBuffer first) throws InterruptedException {
        pump(inside, outside, first, sent);
        back.join();
    }

    /** Ends the connection to the world and leaves that of the sandbox as it is. False if something came from the world, which cannot be taken back. */
    boolean abandon() throws InterruptedException {
        isAbandoned = true;
        close(outside);
        back.join();
        return received.get() == 0;
    }

    /** Ends both connections. */
    @Override
    public void close() {
        close(inside);
        close(outside);
    }

    private void pump(SocketChannel from, SocketChannel to, ByteBuffer first, AtomicLong count) {
        try {
            write(to, first, count);
            while (copyLittle(from, to, count) && copyMuch(from, to, count)) {}
            to.shutdownOutput();
        } catch (ClosedChannelException ended) {
            if (!isAbandoned) {
                close(to);
                close(from);
            }
        } catch (IOException broken) {
            reset(to);
            reset(from);
        }
    }

    /** With a buffer that costs little, because most connections carry little, or wait; until it was filled twice in a row. False when the end came first. */
    private static boolean copyLittle(SocketChannel from, SocketChannel to, AtomicLong count) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer buffer = arena.allocate(SMALL).asByteBuffer();
            int filled = 0;
            while (filled < 2) {
                int got = from.read(buffer);
                if (got < 0) {
                    return false;
                }
                filled = got == SMALL ? filled + 1 : 0;
                pass(buffer, to, count);
            }
            return true;
        }
    }

    /** As long as there is much to carry, and a large buffer for it. False when the end came. */
    private static boolean copyMuch(SocketChannel from, SocketChannel to, AtomicLong count) throws IOException {
        if (!LARGE_ONES.tryAcquire()) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer buffer = arena.allocate(LARGE).asByteBuffer();
            int got = SMALL;
            while (got >= SMALL) {
                got = from.read(buffer);
                pass(buffer, to, count);
            }
            return got >= 0;
        } finally {
            LARGE_ONES.release();
        }
    }

    private static void pass(ByteBuffer buffer, SocketChannel to, AtomicLong count) throws IOException {
        buffer.flip();
        write(to, buffer, count);
        buffer.clear();
    }

    private static void write(SocketChannel to, ByteBuffer bytes, AtomicLong count) throws IOException {
        while (bytes.hasRemaining()) {
            count.addAndGet(to.write(bytes));
        }
    }

    /** Ends a connection so that its other side sees that something went wrong. */
    static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException | RuntimeException closedAlready) {
            // nothing to say to it
        }
        close(channel);
    }

    /** Ends a connection to which all is said. What comes still is dropped for a while: closed before it was read, the connection would be reset, and many clients read no answer then. */
    static void finish(SocketChannel channel) throws IOException {
        channel.shutdownOutput();
        channel.socket().setSoTimeout(FAREWELL_MILLIS);
        InputStream in = channel.socket().getInputStream();
        byte[] dropped = new byte[SMALL];
        long end = System.nanoTime() + FAREWELL_MILLIS * 1_000_000L;
        try {
            while (in.read(dropped) >= 0 && System.nanoTime() < end) {}
        } catch (SocketTimeoutException silent) {
            // it has had its time
        }
        close(channel);
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // it is gone, which is what was wanted
        }
    }
}
