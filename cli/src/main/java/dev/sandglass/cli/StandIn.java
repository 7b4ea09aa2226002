package dev.sandglass.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** Answers on a socket as the daemon would, with one sandbox that is always the same. Only for {@link Rehearsal}. */
final class StandIn implements AutoCloseable {
    private static final String SANDBOX = "{\"id\":\"sbx-aaaaaaaaaaaa\",\"name\":\"brave-otter\",\"state\":\"running\",\"runtime\":\"container\","
            + "\"security\":\"strict\",\"memory_mb\":2048,\"cpus\":1.5,\"disk_mb\":10240,\"max_processes\":512,\"env\":{\"A\":\"b\"},"
            + "\"labels\":{},\"image\":\"base\",\"created_at\":\"2026-01-01T00:00:00.123456Z\",\"pid\":1,\"warnings\":[\"w\"]}";
    private static final String COMMAND = "{\"id\":\"cmd-1\",\"argv\":[\"true\"],\"pty\":false,\"state\":\"running\",\"pid\":2,"
            + "\"started_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String STATUS = "{\"version\":\"0\",\"pid\":1,\"address\":\"a\",\"socket\":\"s\",\"data_dir\":\"d\","
            + "\"started_at\":\"2026-01-01T00:00:00Z\",\"default_runtime\":\"container\",\"runtimes\":[{\"name\":\"container\","
            + "\"available\":true}],\"pool\":{\"kind\":\"btrfs\",\"free_bytes\":1},\"sandboxes\":{\"running\":1}}";
    private static final String PROBLEM = "{\"code\":\"sandbox_not_found\",\"message\":\"m\",\"hint\":\"h\"}";
    private static final String EXIT = "{\"exit\":{\"code\":0,\"user_ms\":1,\"system_ms\":1,\"max_rss_kb\":1}}";

    private final ServerSocketChannel server;

    StandIn(Path socket) throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread thread = new Thread(this::accept, "stand-in");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        while (server.isOpen()) {
            serve();
        }
    }

    private void serve() {
        try (SocketChannel channel = server.accept()) {
            ByteBuffer buffer = ByteBuffer.allocate(65536);
            while (channel.read(buffer.clear()) > 0) {
                String request = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
                if (request.indexOf('\r') > 0 && request.contains(" HTTP/1.1")) {
                    channel.write(ByteBuffer.wrap(answer(request)));
                }
            }
        } catch (IOException leftOrClosed) {
            return;
        }
    }

    private static byte[] answer(String request) {
        String[] line = request.substring(0, request.indexOf('\r')).split(" ");
        String path = line[1].indexOf('?') < 0 ? line[1] : line[1].substring(0, line[1].indexOf('?'));
        if (path.endsWith("/attach")) {
            return attached(request);
        }
        return switch (line[0] + path.substring(path.lastIndexOf('/'))) {
            case "GET/status" -> json(200, STATUS);
            case "GET/sandboxes" -> json(200, "{\"sandboxes\":[" + SANDBOX + "," + SANDBOX + "]}");
            case "GET/absent" -> json(404, PROBLEM);
            case "POST/commands" -> json(201, COMMAND);
            default -> line[0].equals("DELETE") ? bytes("HTTP/1.1 204 No Content\r\n\r\n") : json(200, SANDBOX);
        };
    }

    private static byte[] attached(String request) {
        int at = request.indexOf("Sec-WebSocket-Key: ") + 19;
        String key = request.substring(at, request.indexOf('\r', at)) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        try {
            String accept = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(bytes(key)));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(bytes("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n"));
            frame(out, 1, "hello\n");
            frame(out, 2, "hello\n");
            frame(out, 4, EXIT);
            return out.toByteArray();
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static void frame(ByteArrayOutputStream out, int kind, String text) {
        out.write(0x82);
        out.write(text.length() + 1);
        out.write(kind);
        out.writeBytes(bytes(text));
    }

    private static byte[] json(int status, String body) {
        return bytes("HTTP/1.1 " + status + " x\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
