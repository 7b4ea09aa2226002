package dev.sandglass.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answer to a request; its body must be read before the connection can be used again. */
public final class Response {
    private final int status;
    private final Map<String, String> headers;
    private final BodyInput body;

    Response(int status, Map<String, String> headers, BodyInput body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    public int status() {
        return status;
    }

    /** The value of a header, its name in lower case. */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /** The announced length of the body, -1 if unknown. */
    public long length() {
        String length = headers.get("content-length");
        return length == null ? -1 : Long.parseLong(length);
    }

    public InputStream body() {
        return body;
    }

    /** The whole body, refused when it is longer than the maximum. */
    public byte[] bytes(int maximum) throws IOException {
        byte[] bytes = body.readNBytes(maximum);
        if (bytes.length == maximum && body.read() >= 0) {
            throw new IOException("the answer is longer than " + maximum + " bytes");
        }
        return bytes;
    }

    boolean reusable() {
        return body.complete() && !"close".equalsIgnoreCase(headers.get("connection"));
    }
}
