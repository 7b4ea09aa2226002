package dev.sandglass.client.http;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/** The client side of a WebSocket of binary messages (RFC 6455). One thread reads, any thread writes. */
public final class WebSocket implements Closeable {
    private static final int MAX_MESSAGE = 16 << 20;
    private static final int CONTINUATION = 0;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final byte[] NORMAL = {(byte) (1000 >> 8), (byte) 1000};

    private final Line line;
    private final LineInput in;
    private final ReentrantLock writeLock = new ReentrantLock();
    private byte[] message = new byte[65536];
    private int length;

    WebSocket(Line line, LineInput in) {
        this.line = line;
        this.in = in;
    }

    /** The last message; valid until the next one is received. */
    public byte[] message() {
        return message;
    }

    /** The length of the last message. */
    public int length() {
        return length;
    }

    /** Waits for the next message; answers pings on the way. Throws {@link ClosedException} when the server closes. */
    public void receive() throws IOException {
        length = 0;
        boolean begun = false;
        while (true) {
            int first = in.next();
            int size = size(in.next());
            int opcode = first & 0x0f;
            if ((first & 0x70) != 0) {
                throw new IOException("WebSocket: reserved bits are set");
            }
            if (opcode >= CLOSE) {
                control(first, size);
                continue;
            }
            if (begun != (opcode == CONTINUATION) || opcode > BINARY || size > MAX_MESSAGE - length) {
                throw new IOException("WebSocket: malformed frame (opcode " + opcode + ", " + size + " bytes)");
            }
            begun = true;
            if (length + size > message.length) {
                message = Arrays.copyOf(message, Math.max(length + size, message.length * 2));
            }
            in.readFully(message, length, size);
            length += size;
            if ((first & 0x80) != 0) {
                return;
            }
        }
    }

    /** Sends one binary message: the kind, then the bytes. */
    public void send(int kind, byte[] bytes, int offset, int count) throws IOException {
        byte[] payload = new byte[count + 1];
        payload[0] = (byte) kind;
        System.arraycopy(bytes, offset, payload, 1, count);
        writeLock.lock();
        try {
            write(BINARY, payload);
        } finally {
            writeLock.unlock();
        }
    }

    /** Shows the server that this side is alive, unless a message is on its way at this moment. */
    public void ping() throws IOException {
        if (writeLock.tryLock()) {
            try {
                write(PING, new byte[0]);
            } finally {
                writeLock.unlock();
            }
        }
    }

    /** Says goodbye if the line is free, and closes it. */
    @Override
    public void close() throws IOException {
        try (line) {
            if (writeLock.tryLock()) {
                try {
                    write(CLOSE, NORMAL);
                } finally {
                    writeLock.unlock();
                }
            }
        }
    }

    private int size(int second) throws IOException {
        if ((second & 0x80) != 0) {
            throw new IOException("WebSocket: a server must not mask");
        }
        long size = second & 0x7f;
        if (size >= 126) {
            int bytes = size == 126 ? 2 : 8;
            size = 0;
            for (int i = 0; i < bytes; i++) {
                size = (size << 8) | in.next();
            }
        }
        if (size < 0 || size > MAX_MESSAGE) {
            throw new IOException("WebSocket: message of more than " + MAX_MESSAGE + " bytes");
        }
        return (int) size;
    }

    private void control(int first, int size) throws IOException {
        if (size > 125 || (first & 0x80) == 0) {
            throw new IOException("WebSocket: malformed control frame");
        }
        byte[] payload = new byte[size];
        in.readFully(payload, 0, size);
        switch (first & 0x0f) {
            case PING -> {
                if (writeLock.tryLock()) {
                    try {
                        write(PONG, payload);
                    } finally {
                        writeLock.unlock();
                    }
                }
            }
            case CLOSE -> throw new ClosedException(payload);
            default -> {
                if ((first & 0x0f) != PONG) {
                    throw new IOException("WebSocket: unknown control frame");
                }
            }
        }
    }

    private void write(int opcode, byte[] payload) throws IOException {
        int head = payload.length < 126 ? 2 : payload.length < 65536 ? 4 : 10;
        byte[] frame = new byte[head + 4 + payload.length];
        frame[0] = (byte) (0x80 | opcode);
        if (head == 2) {
            frame[1] = (byte) (0x80 | payload.length);
        } else {
            frame[1] = (byte) (head == 4 ? 0xfe : 0xff);
            for (int i = 0; i < head - 2; i++) {
                frame[head - 1 - i] = (byte) ((long) payload.length >>> (8 * i));
            }
        }
        int mask = ThreadLocalRandom.current().nextInt();
        for (int i = 0; i < 4; i++) {
            frame[head + i] = (byte) (mask >>> (8 * (3 - i)));
        }
        for (int i = 0; i < payload.length; i++) {
            frame[head + 4 + i] = (byte) (payload[i] ^ frame[head + (i & 3)]);
        }
        line.write(frame, 0, frame.length);
    }
}
