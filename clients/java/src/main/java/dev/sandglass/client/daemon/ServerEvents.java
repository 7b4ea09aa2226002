package dev.sandglass.client.daemon;

import dev.sandglass.client.http.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An answer in the form of server-sent events, read as they come. Not thread-safe. */
public final class ServerEvents {
    private static final int MAX_LINE = 1 << 20;

    /** One event: its type, empty where none was said, and its data. */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or kept
    public record Message(String type, byte[] data) {}

    private final InputStream body;
    private final Target target;

    ServerEvents(Response response, Target target) {
        this.body = response.body();
        this.target = target;
    }

    /** The next event, null at the end. Comments, which only keep the connection alive, are skipped. */
    public @Nullable Message next() {
        String type = "";
        StringBuilder data = new StringBuilder();
        try {
            for (String line = line(); line != null; line = line()) {
                if (line.isEmpty() && !data.isEmpty()) {
                    return new Message(type, data.toString().getBytes(StandardCharsets.UTF_8));
                }
                if (line.startsWith("event:")) {
                    type = line.substring(6).strip();
                } else if (line.startsWith("data:")) {
                    data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).stripLeading());
                }
            }
            return null;
        } catch (IOException problem) {
            throw Answers.unreachable(target, problem);
        }
    }

    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int value = body.read(); value >= 0; value = body.read()) {
            if (value == '\n') {
                return line.toString(StandardCharsets.UTF_8).stripTrailing();
            }
            line.write(value);
            if (line.size() > MAX_LINE) {
                throw new IOException("a line of more than " + MAX_LINE + " bytes");
            }
        }
        return null;
    }
}
