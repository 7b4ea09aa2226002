package dev.sandglass.client.http;

import java.io.IOException;
import java.io.OutputStream;

/** What a request carries. */
public interface Body {
    String contentType();

    /** Its length in bytes; -1 if that is not known beforehand, and it is sent in chunks. */
    long length();

    void writeTo(OutputStream out) throws IOException;

    /** JSON in memory. */
    static Body json(byte[] bytes) {
        return of("application/json", bytes);
    }

    /** Bytes in memory. */
    static Body of(String contentType, byte[] bytes) {
        return new Body() {
            @Override
            public String contentType() {
                return contentType;
            }

            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write(bytes);
            }
        };
    }
}
