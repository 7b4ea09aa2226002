package dev.sandglass.client.http;

import java.io.IOException;
import java.io.OutputStream;

/** A body that is written while it is sent; a length of -1 is not known beforehand. */
public record Streamed(String contentType, long length, Source source) implements Body {
    /** Writes the content of a body. */
    public interface Source {
        void writeTo(OutputStream out) throws IOException;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        source.writeTo(out);
    }
}
