package dev.sandglass.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;

/**
 * The body of a streamed answer; a write blocks until the client has taken it.
 *
 * <p>Closing it does nothing: only the exchange ends the body, and only when the handler came to its end, so that a truncated
 * body never looks whole.
 */
final class ResponseBody extends OutputStream {
    private final Response response;
    private long written;

    ResponseBody(Response response) {
        this.response = response;
    }

    long written() {
        return written;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Content.Sink.write(response, false, ByteBuffer.wrap(bytes, offset, length));
        written += length;
    }

    @Override
    public void close() {}
}
