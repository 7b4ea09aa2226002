package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;

/** What the agent is told about who reads a command's output. */
record OutputTap(int number, Outbox outbox, Questions questions) {
    /** Send from there, so much and no more. */
    void open(long offset, long credit) {
        outbox.put(attach(offset, credit));
    }

    /**
     * Send from there, but nothing yet.
     *
     * @param arrived done by the link's reader thread when all that was sent before has arrived
     */
    void reopen(long offset, Runnable arrived) {
        questions.ping(attach(offset, 0), arrived);
    }

    private ByteBuffer attach(long offset, long credit) {
        return Frame.encode(
                Protocol.ATTACH, false, number, ByteBuffer.allocate(12).putLong(offset).putInt((int) credit).flip());
    }

    /** So much more; false when it was not sent. */
    boolean widen(long credit) {
        return outbox.sendIfOpen(Protocol.CREDIT, number, ByteBuffer.allocate(4).putInt((int) credit).array());
    }

    /** Nobody reads any more; false when that is still to be said. */
    boolean shut() {
        return outbox.sendIfOpen(Protocol.DETACH, number, new byte[0]) || !outbox.isOpen();
    }
}
