package dev.sandglass.engine.guest;

import java.nio.ByteBuffer;

/** What comes in on a stream, in order. */
public sealed interface GuestEvent {
    /** Bytes of standard output (kind 1) or standard error (kind 2). */
    record Output(int kind, long offset, ByteBuffer bytes) implements GuestEvent {}

    /** The other side of a connection sends no more. */
    record Eof() implements GuestEvent {}

    /** The end. */
    record Ended(GuestExit exit) implements GuestEvent {}

    /** The agent refused the request, or the connection broke. */
    record Refused(int errno, Refusal refusal, String text) implements GuestEvent {}

    /** This reader was closed. */
    record Closed() implements GuestEvent {}
}
