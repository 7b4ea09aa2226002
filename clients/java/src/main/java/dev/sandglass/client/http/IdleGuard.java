package dev.sandglass.client.http;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * A line that closes itself when the peer has sent nothing for too long.
 *
 * <p>While a write waits for the peer, that is back-pressure and not silence, so the time does not run.
 */
final class IdleGuard implements Line {
    private final Line line;
    private final long limitNanos;
    private final Thread thread;
    private volatile long movedAt = System.nanoTime();
    private volatile boolean writing;
    private volatile boolean closed;
    private volatile boolean expired;

    IdleGuard(Line line, long limitMillis) {
        this.line = line;
        this.limitNanos = limitMillis * 1_000_000;
        this.thread = new Thread(this::watch, "idle-guard");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        try {
            int count = line.read(buffer, offset, length);
            movedAt = System.nanoTime();
            return count;
        } catch (IOException problem) {
            throw expired ? new SilentPeerException(limitNanos / 1_000_000_000) : problem;
        }
    }

    @Override
    public int readNow(byte[] buffer, int offset, int length) throws IOException {
        return line.readNow(buffer, offset, length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        writing = true;
        try {
            line.write(bytes, offset, length);
        } finally {
            movedAt = System.nanoTime();
            writing = false;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        LockSupport.unpark(thread);
        line.close();
    }

    private void watch() {
        while (!closed) {
            long left = limitNanos - (System.nanoTime() - movedAt);
            if (writing) {
                left = limitNanos;
            } else if (left <= 0) {
                expired = true;
                try {
                    line.close();
                } catch (IOException alreadyBroken) {
                    return;
                }
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }
}
