package dev.sandglass.engine.guest;

import java.nio.charset.StandardCharsets;

/** The numbers of the guest protocol, version 2. */
final class Protocol {
    static final int VERSION = 2;
    static final int HEADER_BYTES = 8;
    static final int MAX_FRAME_BYTES = 4096;
    /** Of output that comes, and of input for an agent that takes it. */
    static final int MAX_LONG_FRAME_BYTES = 1 << 16;
    static final int MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES - HEADER_BYTES;
    static final int MAX_MESSAGE_BYTES = 1 << 20;
    static final int INITIAL_INPUT_CREDIT = 65536;
    static final int MORE = 1;
    static final byte[] MAGIC = "sandglass-guest\0".getBytes(StandardCharsets.US_ASCII);

    static final int HELLO = 0x01;
    static final int START = 0x02;
    static final int DATA = 0x03;
    static final int EOF = 0x04;
    static final int CREDIT = 0x05;
    static final int SIGNAL = 0x06;
    static final int RESIZE = 0x07;
    static final int ATTACH = 0x08;
    static final int DETACH = 0x09;
    static final int CLOSE = 0x0a;
    static final int FILE = 0x0b;
    static final int CONNECT = 0x0c;
    static final int PING = 0x0d;
    static final int SETTINGS = 0x0e;
    static final int SHUTDOWN = 0x0f;
    static final int QUERY = 0x10;
    static final int SERVICE = 0x11;

    static final int WELCOME = 0x81;
    static final int COMMAND = 0x82;
    static final int READY = 0x83;
    static final int STARTED = 0x84;
    static final int OUTPUT = 0x85;
    static final int INPUT_CREDIT = 0x86;
    static final int EXIT = 0x87;
    static final int ERROR = 0x88;
    static final int PONG = 0x89;
    static final int INPUT_EOF = 0x8a;
    static final int EXTENT = 0x8b;
    static final int SERVICE_CHANGED = 0x8c;

    private Protocol() {}
}
