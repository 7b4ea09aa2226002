package dev.sandglass.cli.mcp;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What was asked for and not answered, and how the client began, so that it can be begun once more for it. Thread-safe. */
final class Exchanges {
    static final String TOO_LONG =
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"The line is longer than " + Lines.MOST + " bytes. Write large files in pieces, or with sandglass cp.\"}}";

    private static final String LOST = "The daemon was replaced while it worked on this, and what came of it is not known. Look, and ask again.";
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    private static final int INTERNAL_ERROR = -32603;

    /** Ids of requests, and their methods. */
    private final Map<Object, String> open = new LinkedHashMap<>();
    private byte @Nullable [] initialize;
    private @Nullable Object initializeId;
    private boolean begunAgain;

    /** Notes what goes to the daemon. */
    synchronized void goes(byte[] line) {
        Optional<Map<?, ?>> message = read(line);
        Object id = message.map(fields -> fields.get("id")).orElse(null);
        if (id != null && message.get().get("method") instanceof String method) {
            open.put(id, method);
            if (method.equals("initialize")) {
                initialize = line;
                initializeId = id;
            }
        } else if (message.isPresent() && "notifications/cancelled".equals(message.get().get("method")) && message.get().get("params") instanceof Map<?, ?> params) {
            answered(params.get("requestId")); // it gets no answer any more
        }
    }

    /** Notes what comes from the daemon; false if the client must not see it. */
    synchronized boolean came(byte[] line) {
        Optional<Map<?, ?>> message = read(line);
        Object id = message.map(fields -> fields.get("id")).orElse(null);
        if (id == null || message.get().containsKey("method")) {
            return true;
        }
        boolean known = begunAgain && Objects.equals(id, initializeId);
        begunAgain &= !known;
        answered(id);
        return !known;
    }

    private void answered(@Nullable Object id) {
        open.remove(id);
        notifyAll();
    }

    /** Errors in the place of the answers that come no more. The beginning itself is asked for again. */
    synchronized List<byte[]> lost() {
        begunAgain = initialize != null && !open.containsKey(initializeId);
        List<byte[]> errors = new ArrayList<>();
        open.keySet().removeIf(id -> {
            boolean asked = !id.equals(initializeId);
            if (asked) {
                errors.add(Json.treeBytes(Map.of("jsonrpc", "2.0", "id", id, "error", Map.of("code", INTERNAL_ERROR, "message", LOST))));
            }
            return asked;
        });
        notifyAll();
        return errors;
    }

    /** What begins the session once more, if there was one. */
    synchronized List<byte[]> beginning() {
        byte[] first = initialize;
        return first == null ? List.of() : begunAgain ? List.of(first, INITIALIZED.getBytes(StandardCharsets.UTF_8)) : List.of(first);
    }

    /** Waits for all but those that are never answered. */
    synchronized void awaitAnswers(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (open.values().stream().anyMatch(method -> !method.equals("subscriptions/listen")) && System.nanoTime() < deadline) {
            wait(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        }
    }

    /** What is no message is the daemon's to refuse. */
    private static Optional<Map<?, ?>> read(byte[] line) {
        try {
            return Json.tree(line) instanceof Map<?, ?> fields ? Optional.of(fields) : Optional.empty();
        } catch (SandglassException none) {
            return Optional.empty();
        }
    }
}
