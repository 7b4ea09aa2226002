package dev.sandglass.network.dns;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Closes a channel on which nothing goes on, so that whoever reads from it or writes to it waits no longer; beside that it leaves the channel alone. */
final class Watch implements AutoCloseable {
    private final Closeable channel;
    private final Duration patience;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile Deadline deadline;

    Watch(Closeable channel, Duration patience) {
        this.channel = channel;
        this.patience = patience;
        this.deadline = Deadline.in(patience);
        Thread.ofVirtual().name("dns-watch").start(this::watch);
    }

    /** Something went on. */
    void extend() {
        deadline = Deadline.in(patience);
    }

    private void watch() {
        try {
            while (!deadline.isOver()) {
                if (done.await(deadline.left().toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
            channel.close();
        } catch (InterruptedException | IOException nobodyIsLeftToBeTold) {
            // The channel is closed as far as it can be.
        }
    }

    @Override
    public void close() {
        done.countDown();
    }
}
