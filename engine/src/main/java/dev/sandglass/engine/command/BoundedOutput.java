package dev.sandglass.engine.command;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The first bytes of an output, and whether there were more. Not thread-safe. */
final class BoundedOutput {
    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean truncated;

    BoundedOutput(int limit) {
        this.limit = limit;
    }

    void add(ByteBuffer bytes) {
        byte[] part = new byte[Math.min(bytes.remaining(), limit - kept.size())];
        bytes.duplicate().get(part);
        kept.writeBytes(part);
        truncated |= part.length < bytes.remaining();
    }

    /** There was more, which was not kept. */
    void cut() {
        truncated = true;
    }

    String text() {
        return kept.toString(StandardCharsets.UTF_8);
    }

    boolean truncated() {
        return truncated;
    }
}
