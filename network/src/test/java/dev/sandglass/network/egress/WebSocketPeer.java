package dev.sandglass.network.egress;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The side of a client, byte by byte, so that a test says what is sent when. */
record WebSocketPeer(InputStream in, OutputStream out) {
    private static final int TEXT = 0x81;
    private static final int CLOSE = 0x88;
    private static final int LAST = 0x80;
    private static final int MASKED = 0x80;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;

    static String opening(String host, String path, String more) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + more + "\r\n";
    }

    /** The head of the answer to an opening. */
    String open(String opening) throws IOException {
        out.write(opening.getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return head();
    }

    String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("ended after: " + head);
            }
            head.append((char) next);
        }
        return head.toString();
    }

    static byte[] text(String text) {
        return frame(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** With a mask of zeros, which leaves the bytes as they are. */
    private static byte[] frame(int kind, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 14).put((byte) kind);
        if (payload.length < TWO_BYTES) {
            frame.put((byte) (MASKED | payload.length));
        } else {
            frame.put((byte) (MASKED | EIGHT_BYTES)).putLong(payload.length);
        }
        frame.putInt(0).put(payload).flip();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    void say(String text) throws IOException {
        out.write(text(text));
        out.flush();
    }

    void end() throws IOException {
        out.write(frame(CLOSE, new byte[] {3, (byte) 232}));
        out.flush();
    }

    /** The next message, or the empty text for the end of the conversation. */
    String hear() throws IOException {
        DataInputStream data = new DataInputStream(in);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        int kind = 0;
        while ((kind & LAST) == 0) {
            kind = data.readUnsignedByte();
            int length = data.readUnsignedByte();
            long size = length == EIGHT_BYTES ? data.readLong() : length == TWO_BYTES ? data.readUnsignedShort() : length;
            message.write(data.readNBytes((int) size));
        }
        return kind == CLOSE ? "" : message.toString(StandardCharsets.UTF_8);
    }
}
