package dev.sandglass.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A real HTTP server on a unix socket whose answers a test scripts; it keeps what it was asked. */
final class TestDaemon implements AutoCloseable {
    /** Everything that was asked, as "METHOD target body". */
    final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    final Path socket;
    private final ServerSocketChannel server;
    private final Map<String, Reply> replies = Collections.synchronizedMap(new LinkedHashMap<>());

    /** What it does with an attached client. */
    interface Attached {
        void serve(TestSocket socket) throws IOException;
    }

    private volatile BooleanSupplier held = () -> true;

    /** @param missing so many bytes of the body never come */
    private record Reply(String head, String body, int missing, Attached attached) {}

    TestDaemon(Path directory) throws IOException {
        socket = directory.resolve("daemon.sock");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::accept);
    }

    /** Answers requests that begin like this; the longest one that fits wins. */
    TestDaemon on(String request, int status, String body) {
        replies.put(request, new Reply(status + " Status", body, 0, socket -> {}));
        return this;
    }

    /** Answers with the beginning of a body; the rest never comes. */
    TestDaemon onStall(String request, byte[] begin) {
        replies.put(request, new Reply("200 Status", new String(begin, StandardCharsets.ISO_8859_1), 1, socket -> {}));
        return this;
    }

    /** Keeps those who ask for anything waiting until this holds. */
    TestDaemon hold(BooleanSupplier isOver) {
        held = isOver;
        return this;
    }

    TestDaemon onAttach(String request, Attached attached) {
        replies.put(request, new Reply("101 Switching Protocols", "", 0, attached));
        return this;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                Thread.ofVirtual().start(() -> serve(channel));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            InputStream in = Channels.newInputStream(channel);
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                Map<String, String> headers = new LinkedHashMap<>();
                for (String header = line(in); !header.isEmpty(); header = line(in)) {
                    headers.put(header.substring(0, header.indexOf(':')), header.substring(header.indexOf(':') + 1).strip());
                }
                String request = line.substring(0, line.lastIndexOf(' '));
                asked.add((request + " " + new String(body(in, headers), StandardCharsets.ISO_8859_1)).strip());
                while (!held.getAsBoolean()) {
                    LockSupport.parkNanos(5_000_000);
                }
                answer(channel, in, reply(request), headers);
            }
        } catch (IOException clientLeft) {
            return;
        }
    }

    private Reply reply(String request) {
        String best = "";
        synchronized (replies) {
            for (String known : replies.keySet()) {
                best = request.startsWith(known) && known.length() > best.length() ? known : best;
            }
        }
        Reply fitting = replies.get(best);
        return fitting != null ? fitting : new Reply("404 Status", "{\"code\":\"sandbox_not_found\",\"message\":\"no such thing: " + request + "\",\"hint\":\"\"}", 0, socket -> {});
    }

    private static void answer(SocketChannel channel, InputStream in, Reply reply, Map<String, String> headers) throws IOException {
        if (reply.head().startsWith("101")) {
            String accept = accept(headers.getOrDefault("Sec-WebSocket-Key", ""));
            write(channel, "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n");
            reply.attached().serve(new TestSocket(channel, in));
            channel.close();
        } else if (reply.head().startsWith("204")) {
            write(channel, "HTTP/1.1 204 No Content\r\n\r\n");
        } else {
            byte[] body = reply.body().getBytes(StandardCharsets.ISO_8859_1);
            write(channel, "HTTP/1.1 " + reply.head() + "\r\nContent-Length: " + (body.length + reply.missing()) + "\r\n\r\n" + reply.body());
        }
    }

    private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
        if (!"chunked".equals(headers.get("Transfer-Encoding"))) {
            return in.readNBytes(Integer.parseInt(headers.getOrDefault("Content-Length", "0")));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
            body.writeBytes(in.readNBytes(size));
            line(in);
        }
        line(in);
        return body.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int value = in.read(); value >= 0 && value != '\n'; value = in.read()) {
            line.append((char) value);
        }
        return line.toString().stripTrailing();
    }

    private static void write(SocketChannel channel, String text) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static String accept(String key) {
        try {
            byte[] text = (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.ISO_8859_1);
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
