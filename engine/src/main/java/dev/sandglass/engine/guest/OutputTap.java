package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;

/** What the agent is told about who reads a command's output. */
record OutputTap(int number, Outbox outbox, Questions questions) {
    /** Send from there, so much and no more. */
    void open(long offset, long credit) {
        outbox.send(Protocol.ATTACH, number, ByteBuffer.allocate(12).putLong(offset).putInt((int) credit).array());
    }

    /** So much more. */
    void widen(long credit) {
        outbox.sendIfOpen(Protocol.CREDIT, number, ByteBuffer.allocate(4).putInt((int) credit).array());
    }

    /** Nobody reads any more. */
    void shut() {
        outbox.sendIfOpen(Protocol.DETACH, number, new byte[0]);
    }

    /** Returns when all that was sent so far has arrived. */
    void drain() {
        questions.ping();
    }
}
