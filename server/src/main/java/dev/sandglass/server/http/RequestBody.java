package dev.sandglass.server.http;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The body as it comes; a read blocks for the client, and a body that breaks off is an exception, never an end. */
final class RequestBody extends InputStream {
    private final InputStream source;
    private volatile @Nullable String failure;

    RequestBody(Request request) {
        this.source = Content.Source.asInputStream(request);
    }

    /** Why the client's body could not be read, if so: then whatever failed, failed for that. */
    @Nullable String failure() {
        return failure;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0; // the source would wait for content
        }
        try {
            return source.read(bytes, offset, length);
        } catch (IOException | RuntimeException broken) {
            failure = broken instanceof HttpException refusal && refusal.getReason() != null
                    ? refusal.getReason()
                    : "it ended early or did not come in time";
            throw new IOException("the request's body broke off: " + failure, broken);
        }
    }

    @Override
    public int available() throws IOException {
        return source.available();
    }
}
