package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Response;
import dev.sandglass.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** An answer of one JSON value per line, read as it comes. Not thread-safe. */
public final class Lines<T> {
    private static final int MAX_LINE = 8 << 20;

    private final Class<T> type;
    private final InputStream body;
    private final Target target;

    Lines(Class<T> type, Response response, Target target) {
        this.type = type;
        this.body = response.body();
        this.target = target;
    }

    /** The next value, null at the end. */
    public @Nullable T next() {
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int value = body.read(); value >= 0; value = body.read()) {
                if (value == '\n' && line.size() > 0) {
                    return Json.read(type, line.toByteArray());
                }
                if (value != '\n') {
                    line.write(value);
                }
                if (line.size() > MAX_LINE) {
                    throw new IOException("a line of more than " + MAX_LINE + " bytes");
                }
            }
            return null;
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }
}
