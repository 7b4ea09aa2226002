package dev.sandglass.server;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.WatchEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The events of a watched directory; those that came before are kept. */
final class Watching implements AutoCloseable {
    private final BufferedReader lines;
    private final List<String> seen = new ArrayList<>();

    Watching(InputStream body) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        await("ready");
    }

    /** Reads until an event like {@code create sub/file} has come. */
    void await(String event) {
        while (!seen.contains(event)) {
            seen.add(next());
        }
    }

    private String next() {
        try {
            String line = lines.readLine();
            if (line == null) {
                throw new AssertionError("the watch has ended after " + seen);
            }
            WatchEvent event = Json.read(WatchEvent.class, line.getBytes(StandardCharsets.UTF_8));
            return event.path() == null ? event.event() : event.event() + " " + event.path();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    @Override
    public void close() {
        try {
            lines.close();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
