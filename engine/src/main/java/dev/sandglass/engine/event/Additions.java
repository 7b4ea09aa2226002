package dev.sandglass.engine.event;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts what is added to something, and lets others wait for the next. Thread-safe. */
final class Additions {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();
    private long count;

    long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    void add() {
        lock.lock();
        try {
            count++;
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is added after the given number of additions; false when the time is over. */
    boolean await(long seen, Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (count == seen) {
                if (left <= 0) {
                    return false;
                }
                left = added.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
