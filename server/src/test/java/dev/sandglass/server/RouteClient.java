package dev.sandglass.server;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Speaks to the routes of a daemon byte by byte, as any client may: with any Host, and with what no library would send. */
record RouteClient(String host, int port, String domain) {
    private static final int PATIENCE_MILLIS = 120_000;

    static RouteClient of(TestDaemon daemon) {
        var status = daemon.api().status();
        URI at = URI.create(status.routeAddress());
        return new RouteClient(at.getHost(), at.getPort(), status.routeDomain());
    }

    /** The host name of a port of a sandbox, by its id or name. */
    String name(int inside, String sandbox) {
        return inside + "-" + (sandbox.startsWith("sbx-") ? sandbox.replace("-", "") : sandbox) + "." + domain + ":" + port;
    }

    /** By path. */
    String url(TestSandbox box, String route, String rest) {
        return "http://" + host + ":" + port + "/" + box.id() + "/" + route + rest;
    }

    record Reply(int status, List<String> headers, String text, boolean closed) {
        String header(String name) {
            return String.join("|", all(name));
        }

        List<String> all(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return headers.stream().filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start)).map(line -> line.substring(start.length()).strip()).toList();
        }

        String problem() {
            return Json.read(Problem.class, text.getBytes(StandardCharsets.UTF_8)).code();
        }
    }

    Reply get(String hostHeader, String target, String... headers) {
        return send("GET", hostHeader, target, headers);
    }

    Reply send(String method, String hostHeader, String target, String... headers) {
        String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return raw(method + " " + target + " HTTP/1.1\r\nHost: " + hostHeader + "\r\nConnection: close\r\n" + more + "\r\n");
    }

    /** Sends the bytes and reads one answer, and whether the connection ends with it. */
    Reply raw(String request) {
        try (Socket socket = open()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return reply(socket, request.startsWith("HEAD "));
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    Socket open() throws IOException {
        Socket socket = new Socket(host, port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    static Reply reply(Socket socket, boolean head) throws IOException {
        InputStream in = socket.getInputStream();
        List<String> lines = new ArrayList<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            lines.add(line);
        }
        Reply start = new Reply(Integer.parseInt(lines.getFirst().split(" ")[1]), lines.subList(1, lines.size()), "", false);
        byte[] body = head || start.status == 101 || start.status == 204 || start.status == 304 ? new byte[0] : body(in, start);
        boolean closes = start.header("Connection").equalsIgnoreCase("close") && in.read() < 0;
        return new Reply(start.status, start.headers, new String(body, StandardCharsets.UTF_8), closes);
    }

    private static byte[] body(InputStream in, Reply start) throws IOException {
        if (!start.header("Content-Length").isEmpty()) {
            int length = Integer.parseInt(start.header("Content-Length"));
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new IOException("body of " + body.length + " of " + length + " bytes");
            }
            return body;
        }
        if (!start.header("Transfer-Encoding").equals("chunked")) {
            return in.readAllBytes();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
            body.write(in.readNBytes(size));
            line(in);
        }
        line(in);
        return body.toByteArray();
    }

    static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("ended after " + Arrays.toString(line.toByteArray()));
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
