package dev.sandglass.server.mcp;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message of JSON-RPC, as a client sends it and as it is answered. */
sealed interface Message {
    /** The most that is taken of an id, a cursor or anything else that is only handed back. */
    int MOST_TOKEN = 256;

    private static RpcException invalid(String message, String hint) {
        return new RpcException(RpcException.INVALID_REQUEST, message, hint);
    }

    /**
     * Asks for an answer.
     *
     * @param id text or a whole number
     * @param given its parameters, which may be anything
     */
    record Request(Object id, String method, @Nullable Object given) implements Message {
        Map<String, @Nullable Object> params() {
            return object("params", given);
        }

        byte[] result(Map<String, ? extends @Nullable Object> result) {
            return written(Map.of("jsonrpc", "2.0", "id", id, "result", result));
        }

        byte[] error(RpcException problem) {
            return written(Map.of("jsonrpc", "2.0", "id", id, "error", problem.toTree()));
        }

        /** What the client says of the request itself. */
        Map<String, @Nullable Object> meta() {
            return object("params._meta", params().get("_meta"));
        }
    }

    /** Tells something. */
    record Notification(String method, Map<String, @Nullable Object> params) implements Message {
        byte[] bytes() {
            return written(Map.of("jsonrpc", "2.0", "method", method, "params", params));
        }
    }

    /** Answers a request; this server makes none. */
    record Answer() implements Message {}

    /** An error of a message that was not understood, so that nobody knows what it belongs to. */
    static byte[] error(RpcException problem) {
        return written(Map.of("jsonrpc", "2.0", "error", problem.toTree()));
    }

    static Message parse(byte[] json) {
        Object tree;
        try {
            tree = Json.tree(json);
        } catch (SandglassException problem) {
            throw new RpcException(RpcException.PARSE_ERROR, problem.what(), "Send one JSON-RPC message in UTF-8, nested no deeper than 32.");
        }
        if (!(tree instanceof Map<?, ?>)) {
            throw invalid("The message is no JSON object.", "Send one message at a time; batches are not taken.");
        }
        Map<String, @Nullable Object> message = object("message", tree);
        if (!"2.0".equals(message.get("jsonrpc"))) {
            throw invalid("jsonrpc: it is not 2.0.", "Send \"jsonrpc\": \"2.0\".");
        }
        if (!message.containsKey("method") && (message.containsKey("result") || message.containsKey("error"))) {
            return new Answer();
        }
        if (!(message.get("method") instanceof String method) || method.isEmpty() || method.length() > MOST_TOKEN) {
            throw invalid("method: it is no name.", "Name the method as a text of at most " + MOST_TOKEN + " characters.");
        }
        Object params = message.get("params");
        return message.containsKey("id") ? new Request(id(message.get("id")), method, params) : new Notification(method, object("params", params));
    }

    private static Object id(@Nullable Object id) {
        if (id instanceof Long || (id instanceof String text && text.length() <= MOST_TOKEN)) {
            return id;
        }
        throw invalid("id: it is neither a whole number nor a text of at most " + MOST_TOKEN + " characters.", "Give each request an id of its own; a notification has none.");
    }

    /** An object of a message, empty where there is none. */
    static Map<String, @Nullable Object> object(String name, @Nullable Object tree) {
        if (tree == null) {
            return Map.of();
        }
        if (!(tree instanceof Map<?, ?> fields)) {
            throw RpcException.invalidParams(name + ": it is no object.", "Send a JSON object.");
        }
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        fields.forEach((key, value) -> object.put((String) key, value));
        return object;
    }

    /** A text of a message that must be there. */
    static String text(Map<String, @Nullable Object> from, String name) {
        if (from.get(name) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw RpcException.invalidParams(name + ": it is missing or no text.", "Give it as a text.");
    }

    private static byte[] written(Map<String, ?> message) {
        return Json.treeBytes(message);
    }
}
