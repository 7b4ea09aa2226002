package dev.sandglass.client.http;

import java.io.Closeable;
import java.io.IOException;

/** A byte stream in both directions; one thread may read while another writes. */
public interface Line extends Closeable {
    /** Reads at least one byte; -1 at the end. */
    int read(byte[] buffer, int offset, int length) throws IOException;

    /** Reads what is there and does not wait; 0 if there is nothing, -1 at the end. Not while another thread uses the line. */
    int readNow(byte[] buffer, int offset, int length) throws IOException;

    void write(byte[] bytes, int offset, int length) throws IOException;
}
