package dev.sandglass.engine.runtime;

import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The byte stream to PID 1 of a sandbox. Reads and writes block; a write of at most 4096 bytes goes through whole. Closing
 * it wakes blocked callers, and does not show on the other side.
 */
public record GuestChannel(ReadableByteChannel fromGuest, WritableByteChannel toGuest) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        try (fromGuest) {
            toGuest.close();
        }
    }
}
