package dev.sandglass.server;

import dev.sandglass.wire.OutputEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Lines of JSON about a command's output, read while they come. */
final class Following implements AutoCloseable {
    private final BufferedReader lines;

    Following(InputStream body) {
        this.lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    }

    /** The next event, or nothing at the end. */
    Optional<OutputEvent> next() {
        try {
            return Optional.ofNullable(lines.readLine()).map(TestSandbox::event);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    List<OutputEvent> rest() {
        List<OutputEvent> events = new ArrayList<>();
        for (Optional<OutputEvent> event = next(); event.isPresent(); event = next()) {
            events.add(event.get());
        }
        return events;
    }

    /** The bytes of all events of one stream, or of every stream for the empty name. */
    static String text(List<OutputEvent> events, String stream) {
        return events.stream()
                .filter(event -> event.data() != null && (stream.isEmpty() || stream.equals(event.stream())))
                .map(event -> new String(Base64.getDecoder().decode(String.valueOf(event.data())), StandardCharsets.UTF_8))
                .collect(Collectors.joining());
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
