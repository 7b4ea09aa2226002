package dev.sandglass.client.http;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One HTTP/1.1 connection, for one request after the other. Not thread-safe. */
public final class Connection implements Closeable {
    private static final int MAX_LINE = 16_384;
    private static final int MAX_HEADERS = 200;
    /** The server ends connections on which nothing was said for a minute. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String authority;
    private final Line line;
    private final LineInput in;
    private @Nullable Response last;
    private long answeredNanos = System.nanoTime();
    private boolean broken;

    /** Connects; the connection closes itself when the server is silent for that long. */
    public Connection(Endpoint endpoint, long idleMillis) throws IOException {
        this(endpoint.authority(), endpoint.open(), idleMillis);
    }

    Connection(String authority, Line open, long idleMillis) {
        this.authority = authority;
        this.line = new IdleGuard(open, idleMillis);
        this.in = new LineInput(line);
    }

    /** Whether another request can be sent. */
    public boolean reusable() {
        return !broken && (last == null || last.reusable()) && System.nanoTime() - answeredNanos < FRESH_NANOS;
    }

    /** Sends a request and returns when the head of the answer is there. */
    public Response exchange(Request request) throws IOException {
        boolean fine = false;
        try {
            @Nullable IOException refused = send(request);
            Response response;
            try {
                response = receive();
            } catch (IOException problem) {
                throw refused != null ? refused : problem;
            }
            if (refused != null && response.status() < 400) {
                throw refused;
            }
            last = response;
            answeredNanos = System.nanoTime();
            fine = refused == null;
            return response;
        } finally {
            broken |= !fine;
        }
    }

    /** Asks for a WebSocket; the connection belongs to it from then on. */
    public WebSocket upgrade(Request request) throws IOException, RefusedException {
        String key = Handshake.key();
        Response response = exchange(request.with("Connection", "Upgrade")
                .with("Upgrade", "websocket")
                .with("Sec-WebSocket-Version", "13")
                .with("Sec-WebSocket-Key", key));
        if (response.status() != 101) {
            throw new RefusedException(response);
        }
        broken = true;
        if (!Handshake.accepts(key, response.header("sec-websocket-accept"))) {
            throw new IOException("the server's WebSocket handshake is wrong");
        }
        return new WebSocket(line, in);
    }

    @Override
    public void close() throws IOException {
        broken = true;
        line.close();
    }

    /** Sends all of it; a server that answers early wants no more or stops reading, which is returned and not thrown. */
    private @Nullable IOException send(Request request) throws IOException {
        BodyOutput out = new BodyOutput(line, in);
        Body body = request.body();
        try {
            out.write(request.head(authority).getBytes(StandardCharsets.ISO_8859_1));
            if (body != null) {
                out.begin(body.length());
                body.writeTo(out);
            }
            out.end();
            return null;
        } catch (IOException problem) {
            if (out.refused()) {
                return problem;
            }
            throw problem;
        }
    }

    private Response receive() throws IOException {
        String statusLine = in.readLine(MAX_LINE);
        if (statusLine.length() < 12 || !statusLine.startsWith("HTTP/1.1 ")) {
            throw new IOException("not an HTTP/1.1 answer");
        }
        int status;
        try {
            status = Integer.parseInt(statusLine, 9, 12, 10);
        } catch (NumberFormatException malformed) {
            throw new IOException("not an HTTP/1.1 answer", malformed);
        }
        Map<String, String> headers = headers();
        if (status == 100) {
            return receive();
        }
        return new Response(status, headers, body(status, headers));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int count = 0; ; count++) {
            String header = in.readLine(MAX_LINE);
            if (header.isEmpty()) {
                return headers;
            }
            int colon = header.indexOf(':');
            if (colon <= 0 || count == MAX_HEADERS) {
                throw new IOException("malformed header in the answer");
            }
            headers.put(header.substring(0, colon).toLowerCase(Locale.ROOT), header.substring(colon + 1).strip());
        }
    }

    private BodyInput body(int status, Map<String, String> headers) throws IOException {
        if (status == 101 || status == 204 || status == 304) {
            return BodyInput.ofLength(in, 0);
        }
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return BodyInput.ofChunks(in);
        }
        String length = headers.get("content-length");
        if (length == null) {
            return BodyInput.untilEnd(in);
        }
        try {
            return BodyInput.ofLength(in, Math.max(0, Long.parseLong(length)));
        } catch (NumberFormatException malformed) {
            throw new IOException("malformed Content-Length", malformed);
        }
    }
}
