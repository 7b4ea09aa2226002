package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** While it is open nothing is written to the agent; what is sent waits. Closing it twice is fine. */
public final class Hold implements AutoCloseable {
    private final ByteBuffer last;
    private final CountDownLatch over = new CountDownLatch(1);

    Hold(ByteBuffer last) {
        this.last = last;
    }

    /** Another frame with the same bytes is not the one that is meant. */
    @SuppressWarnings("ReferenceEquality")
    boolean isBehind(ByteBuffer frame) {
        return frame == last;
    }

    void await() throws InterruptedException {
        over.await();
    }

    @Override
    public void close() {
        over.countDown();
    }
}
