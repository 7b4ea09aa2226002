package dev.sandglass.network.egress;

import dev.sandglass.network.intercept.Authority;
import dev.sandglass.network.intercept.WorldAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A client of HTTP/2 that sends what it likes, frame by frame, and never reads an answer. */
final class StreamFlood implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int INITIAL_WINDOW = 4;
    private static final int GET = 0x82;
    private static final int POST = 0x83;
    private static final int HTTPS = 0x87;
    private static final int AUTHORITY = 1;
    private static final int PATH = 4;
    private static final int LITERAL = 0;
    private static final int SEVEN_BITS = 0x7f;

    private final SSLSocket socket;
    private final OutputStream out;
    private final String host;

    StreamFlood(SocketChannel channel, Authority authority, String host) throws IOException {
        this.socket = (SSLSocket) WorldAuthority.client(authority).getSocketFactory().createSocket(channel.socket(), host, 443, true);
        this.host = host;
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        this.out = socket.getOutputStream();
        ByteBuffer window = ByteBuffer.allocate(6).putShort((short) INITIAL_WINDOW).putInt(Integer.MAX_VALUE);
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.write(frame(SETTINGS, 0, 0, window.array()));
        out.write(frame(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE - (1 << 16)).array()));
    }

    private static byte[] frame(int kind, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length).putInt(payload.length << 8 | kind).put((byte) flags).putInt(stream).put(payload).array();
    }

    /** Begins a request whose body goes on until it is ended. */
    void post(int stream, String path) throws IOException {
        out.write(frame(HEADERS, END_HEADERS, stream, head(POST, path, "")));
    }

    /** @param field with that many characters, beside the usual ones; fewer than fit into a frame */
    void get(int stream, String path, int field) throws IOException {
        out.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, head(GET, path, "x".repeat(field))));
    }

    /** The next part of a body, in pieces of one byte. */
    void pieces(int stream, int count) throws IOException {
        byte[] one = frame(DATA, 0, stream, new byte[] {1});
        ByteBuffer all = ByteBuffer.allocate(one.length * count);
        while (all.hasRemaining()) {
            all.put(one);
        }
        out.write(all.array());
    }

    private byte[] head(int method, String path, String more) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(method);
        block.write(HTTPS);
        block.write(PATH);
        text(block, path);
        block.write(AUTHORITY);
        text(block, host);
        if (!more.isEmpty()) {
            block.write(LITERAL);
            text(block, "x-more");
            text(block, more);
        }
        return block.toByteArray();
    }

    /** As HPACK writes it without Huffman's code: the length in seven bits, and the rest of it in as many bytes as it needs. */
    private static void text(ByteArrayOutputStream block, String text) throws IOException {
        int length = text.length();
        if (length < SEVEN_BITS) {
            block.write(length);
        } else {
            block.write(SEVEN_BITS);
            int rest = length - SEVEN_BITS;
            while (rest > SEVEN_BITS) {
                block.write((rest & SEVEN_BITS) | (SEVEN_BITS + 1));
                rest >>= 7;
            }
            block.write(rest);
        }
        block.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
