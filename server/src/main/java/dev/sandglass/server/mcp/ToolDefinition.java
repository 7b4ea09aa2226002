package dev.sandglass.server.mcp;

import dev.sandglass.server.http.Schema;
import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What clients are told of a tool.
 *
 * @param input the schema of its arguments
 * @param output the schema of its structured answer
 * @param hints how it acts on the world, for clients that ask a person before they call it
 */
record ToolDefinition(String name, String title, String description, Map<String, Object> input, Map<String, Object> output, Map<String, Object> hints) {
    /** One of {@code tools.yaml}. */
    static ToolDefinition of(Map<String, Object> entry) {
        boolean readOnly = Boolean.TRUE.equals(entry.get("readOnly"));
        Map<String, Object> hints = new LinkedHashMap<>();
        hints.put("title", text(entry, "title"));
        hints.put("readOnlyHint", readOnly);
        if (!readOnly) {
            hints.put("destructiveHint", Boolean.TRUE.equals(entry.get("destructive")));
            hints.put("idempotentHint", Boolean.TRUE.equals(entry.get("idempotent")));
        }
        hints.put("openWorldHint", Boolean.TRUE.equals(entry.get("openWorld")));
        return new ToolDefinition(text(entry, "name"), text(entry, "title"), text(entry, "description").strip(), input(entry), output(entry), hints);
    }

    private static Map<String, Object> input(Map<String, Object> entry) {
        Map<String, Object> schema = object(map(entry.get("input")), entry.get("required"));
        schema.put("additionalProperties", false);
        return schema;
    }

    private static Map<String, Object> output(Map<String, Object> entry) {
        Map<String, Object> output = map(entry.get("output"));
        return "object".equals(output.get("type")) ? output : object(output, entry.get("always"));
    }

    private static Map<String, Object> object(Map<String, Object> properties, @Nullable Object required) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("properties", properties);
        if (required != null) {
            schema.put("required", required);
        }
        return schema;
    }

    /** As {@code tools/list} has it. */
    Map<String, Object> toTree() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("name", name);
        tree.put("title", title);
        tree.put("description", description);
        tree.put("inputSchema", input);
        tree.put("outputSchema", output);
        tree.put("annotations", hints);
        return tree;
    }

    /** The arguments with what is the default, once they fit. */
    Arguments check(Map<String, @Nullable Object> given) {
        List<String> complaints = new Schema(input, _ -> Map.of()).complaints("arguments", given);
        if (!complaints.isEmpty()) {
            throw new SandglassException(ErrorCode.INVALID_REQUEST, complaints.getFirst() + ".", "The input schema of the tool tells what it takes.");
        }
        Map<String, Object> all = new LinkedHashMap<>();
        map(input.get("properties")).forEach((name, property) -> {
            Object value = given.get(name) != null ? given.get(name) : map(property).get("default");
            if (value != null) {
                all.put(name, value instanceof Integer number ? (Object) number.longValue() : value);
            }
        });
        return new Arguments(all);
    }

    private static String text(Map<String, Object> entry, String name) {
        if (entry.get(name) instanceof String text) {
            return text;
        }
        throw new IllegalStateException(name + " of the tool " + entry.get("name") + ": missing");
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(@Nullable Object node) {
        if (node instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new IllegalStateException("node: " + node + " (expected: a map)");
    }

    /** A list of maps. */
    static List<Map<String, Object>> maps(@Nullable Object node) {
        return node instanceof List<?> list ? list.stream().map(ToolDefinition::map).toList() : List.of();
    }
}
