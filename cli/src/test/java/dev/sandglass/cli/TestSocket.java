package dev.sandglass.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The daemon's side of an attached command: messages of a kind and a text. */
final class TestSocket {
    private final SocketChannel channel;
    private final InputStream in;

    TestSocket(SocketChannel channel, InputStream in) {
        this.channel = channel;
        this.in = in;
    }

    void send(int kind, String text) throws IOException {
        byte[] payload = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 5);
        frame.put((byte) 0x82).put((byte) 126).putShort((short) (payload.length + 1)).put((byte) kind).put(payload);
        channel.write(frame.flip());
    }

    void exit(int code, String more) throws IOException {
        send(4, "{\"exit\":{\"code\":" + code + more + ",\"user_ms\":0,\"system_ms\":0,\"max_rss_kb\":0}}");
    }

    void close(int code) throws IOException {
        channel.write(ByteBuffer.allocate(4).put((byte) 0x88).put((byte) 2).putShort((short) code).flip());
    }

    /** The next message of the client: its kind as a digit, then its text. */
    String receive() throws IOException {
        if (in.read() < 0) {
            throw new EOFException();
        }
        int size = in.read() & 0x7f;
        if (size == 126) {
            size = (in.read() << 8) | in.read();
        }
        byte[] mask = in.readNBytes(4);
        byte[] payload = in.readNBytes(size);
        for (int i = 0; i < size; i++) {
            payload[i] ^= mask[i & 3];
        }
        return payload[0] + new String(payload, 1, size - 1, StandardCharsets.UTF_8);
    }
}
