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
            + "\"security\":\"strict\",\"capabilities\":[\"CHOWN\"],\"on_timeout\":\"kill\",\"auto_resume\":false,\"restart\":\"never\","
            + "\"memory_mb\":2048,\"cpus\":1.5,\"disk_mb\":10240,\"max_processes\":512,\"env\":{\"A\":\"b\"},"
            + "\"labels\":{},\"image\":\"base\",\"created_at\":\"2026-01-01T00:00:00.123456Z\",\"pid\":1,\"warnings\":[\"w\"]}";
    private static final String OPERATION = "{\"id\":\"op-1\",\"kind\":\"create\",\"state\":\"succeeded\",\"progress\":1.0,\"steps\":[],"
            + "\"started_at\":\"2026-01-01T00:00:00Z\",\"sandbox\":" + SANDBOX + "}";
    private static final String COMMAND = "{\"id\":\"cmd-1\",\"argv\":[\"true\"],\"pty\":false,\"state\":\"running\",\"pid\":2,"
            + "\"started_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String STARTED = "{\"started\":{\"sandbox\":" + SANDBOX + ",\"command\":" + COMMAND + "}}";
    private static final String STATUS = "{\"version\":\"0\",\"pid\":1,\"address\":\"a\",\"socket\":\"s\",\"data_dir\":\"d\","
            + "\"started_at\":\"2026-01-01T00:00:00Z\",\"default_runtime\":\"container\",\"runtimes\":[{\"name\":\"container\","
            + "\"available\":true}],\"pool\":{\"kind\":\"btrfs\",\"free_bytes\":1},\"sandboxes\":{\"running\":1}}";
    private static final String PROBLEM = "{\"code\":\"sandbox_not_found\",\"message\":\"m\",\"hint\":\"h\"}";
    private static final String ENTRY = "{\"name\":\"f\",\"path\":\"/tmp/f\",\"kind\":\"directory\",\"mode\":\"0755\",\"uid\":0,\"gid\":0,"
            + "\"size\":5,\"modified_at\":\"2026-01-01T00:00:00Z\"}";
    private static final String OUTPUT = "{\"stream\":\"stdout\",\"offset\":0,\"data\":\"aGVsbG8K\"}\n";
    private static final String SAMPLE = "{\"at\":\"2026-01-01T00:00:00Z\",\"cpus\":0.5,\"cpu_ms\":1,\"memory_bytes\":1}";
    private static final String STATS = "{\"at\":\"2026-01-01T00:00:00Z\",\"cpus\":2,\"cpus_used\":0.5,\"memory_bytes\":1,\"memory_used_bytes\":1,"
            + "\"pool\":{\"kind\":\"btrfs\",\"free_bytes\":1},\"daemon\":{\"rss_bytes\":1,\"heap_bytes\":1,\"threads\":1,\"descriptors\":1},"
            + "\"total\":" + SAMPLE + ",\"interval_ms\":5000,\"history\":[],\"sandboxes\":[{\"id\":\"sbx-aaaaaaaaaaaa\",\"name\":\"brave-otter\","
            + "\"state\":\"running\",\"now\":" + SAMPLE + ",\"limits\":{\"memory_bytes\":1,\"cpus\":1.0,\"disk_bytes\":1,\"processes\":1},"
            + "\"oom_kills\":0,\"interval_ms\":5000}]}";
    private static final String EVENTS = "{\"events\":[{\"id\":1,\"at\":\"2026-01-01T00:00:00Z\",\"type\":\"sandbox.created\","
            + "\"sandbox_id\":\"sbx-aaaaaaaaaaaa\",\"sandbox_name\":\"brave-otter\",\"data\":{\"a\":\"b\"}}],\"next\":1,\"gap\":false}";
    private static final String EXIT = "{\"exit\":{\"code\":0,\"user_ms\":1,\"system_ms\":1,\"max_rss_kb\":1}}";

    private final ServerSocketChannel server;

    StandIn(Path socket) throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        background(this::accept);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                background(() -> serve(channel));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void background(Runnable work) {
        Thread thread = new Thread(work, "stand-in");
        thread.setDaemon(true);
        thread.start();
    }

    private static void serve(SocketChannel connection) {
        try (SocketChannel channel = connection) {
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
        if (path.endsWith("/attach") || path.endsWith("/run")) {
            return attached(request, path.endsWith("/run"));
        }
        return switch (line[0] + path.substring(path.lastIndexOf('/'))) {
            case "POST/sandboxes" -> line[1].contains("wait=false") ? json(202, OPERATION) : json(201, SANDBOX);
            case "GET/op-1" -> json(200, "event: operation\ndata: " + OPERATION + "\n\n");
            case "GET/status" -> json(200, STATUS);
            case "GET/sandboxes" -> json(200, "{\"sandboxes\":[" + SANDBOX + "," + SANDBOX + "]}");
            case "GET/absent" -> json(404, PROBLEM);
            case "POST/commands" -> json(201, COMMAND);
            case "GET/commands" -> json(200, "{\"commands\":[" + COMMAND + "]}");
            case "GET/stats" -> json(200, STATS);
            case "GET/events" -> json(200, EVENTS);
            case "GET/cmd-1" -> json(200, COMMAND);
            case "GET/output" -> json(200, OUTPUT);
            case "GET/stat", "POST/move", "PUT/directory" -> json(200, ENTRY);
            case "GET/list" -> json(200, "{\"entries\":[" + ENTRY + "],\"truncated\":false}");
            default -> line[0].equals("DELETE") ? bytes("HTTP/1.1 204 No Content\r\n\r\n") : json(200, SANDBOX);
        };
    }

    private static byte[] attached(String request, boolean begins) {
        int at = request.indexOf("Sec-WebSocket-Key: ") + 19;
        String key = request.substring(at, request.indexOf('\r', at)) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        try {
            String accept = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(bytes(key)));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(bytes("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n"));
            if (begins) {
                frame(out, 4, STARTED);
            }
            frame(out, 1, "hello\n");
            frame(out, 2, "hello\n");
            frame(out, 4, EXIT);
            return out.toByteArray();
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static void frame(ByteArrayOutputStream out, int kind, String text) {
        int length = text.length() + 1;
        out.write(0x82);
        if (length > 125) {
            out.write(126);
            out.write(length >> 8);
        }
        out.write(length);
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
