package dev.sandglass.server.mcp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** The way from the thread that works on a request to the one that answers it. Whoever puts in waits while it is full, and as long as somebody takes out. */
final class Mailbox implements Outlet {
    private static final int ROOM = 16;

    private final Deque<byte[]> messages = new ArrayDeque<>();
    private boolean ended;
    private boolean deserted;

    @Override
    public synchronized void send(byte[] message) throws InterruptedException {
        while (messages.size() >= ROOM && !deserted) {
            wait();
        }
        if (deserted) {
            throw new InterruptedException("nobody takes it");
        }
        messages.add(message);
        notifyAll();
    }

    /** Nothing more comes. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Nobody takes anything any more. */
    synchronized void desert() {
        deserted = true;
        notifyAll();
    }

    /** The next message, if it comes in that time. */
    synchronized Optional<byte[]> next(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (messages.isEmpty() && !ended) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return Optional.empty();
            }
            wait(Math.max(1, left / 1_000_000));
        }
        notifyAll();
        return Optional.ofNullable(messages.poll());
    }

    /** Whether all that was ever put in was taken out. */
    synchronized boolean isOver() {
        return ended && messages.isEmpty();
    }
}
