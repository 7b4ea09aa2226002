package dev.sandglass.network.intercept;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes between two connections that have left HTTP behind, both ways, until both directions have ended. Who reads slowly slows down who writes; nothing is kept but one
 * buffer for each direction; a side on which no byte goes either way for as long as its idle timeout says ends both.
 */
final class Splice {
    private static final int PIECE = 16 << 10;

    private final Side near;
    private final Side far;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    /**
     * @param near of the sandbox
     * @param far of the server
     */
    Splice(Side near, Side far) {
        this.near = near;
        this.far = far;
    }

    /** One of the two, which begins to exist when its end point is upgraded to it. */
    static final class Side extends AbstractConnection implements Connection.UpgradeTo {
        private ByteBuffer said = BufferUtil.EMPTY_BUFFER;

        Side(EndPoint end, Executor executor) {
            super(end, executor);
        }

        @Override
        public void onUpgradeTo(@Nullable ByteBuffer beyond) {
            if (beyond != null) {
                said = beyond;
            }
        }

        /** Whether its end point speaks through it. */
        boolean isThere() {
            return getEndPoint().getConnection() == this;
        }

        @Override
        public void onFillable() {
            throw new IllegalStateException("Whoever waits for bytes waits by itself.");
        }
    }

    /** Bytes that went from the sandbox to the server. */
    long sent() {
        return sent.get();
    }

    /** Bytes that came from the server. */
    long received() {
        return received.get();
    }

    /** Returns when both directions have ended, and both connections are closed. */
    void run() throws InterruptedException {
        Thread back = Thread.ofVirtual().name("splice").start(() -> pump(far, near, received));
        pump(near, far, sent);
        back.join();
        near.close();
        far.close();
    }

    private static void pump(Side from, Side to, AtomicLong count) {
        try {
            write(to, from.said, count);
            ByteBuffer piece = BufferUtil.allocate(PIECE);
            while (fill(from, piece)) {
                write(to, piece, count);
            }
            to.getEndPoint().shutdownOutput();
        } catch (IOException broken) {
            from.getEndPoint().close(broken);
            to.getEndPoint().close(broken);
        }
    }

    /** False at the end. */
    private static boolean fill(Side from, ByteBuffer piece) throws IOException {
        BufferUtil.clear(piece);
        int got = from.getEndPoint().fill(piece);
        while (got == 0) {
            try (Blocker.Callback bytes = Blocker.callback()) {
                from.getEndPoint().fillInterested(bytes);
                bytes.block();
            }
            got = from.getEndPoint().fill(piece);
        }
        return got > 0;
    }

    private static void write(Side to, ByteBuffer piece, AtomicLong count) throws IOException {
        int length = piece.remaining();
        try (Blocker.Callback done = Blocker.callback()) {
            to.getEndPoint().write(done, piece);
            done.block();
        }
        count.addAndGet(length);
    }
}
