package dev.sandglass.server.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The prompts that a person can pick, which teach how to work with snapshots. Immutable. */
final class Prompts {
    private static final int MOST_CHARACTERS = 100_000;
    /** What stands for an argument that was not given. */
    private static final Map<String, String> OTHERWISE = Map.of("sandbox", "a new sandbox (make it with `create_sandbox`)", "ways", "3");

    private final List<Map<String, Object>> prompts;

    Prompts(Map<String, Object> guide) {
        this.prompts = ToolDefinition.maps(guide.get("prompts"));
    }

    Map<String, Object> list() {
        return Map.of("prompts", prompts.stream().map(prompt -> {
            Map<String, Object> shown = new LinkedHashMap<>(prompt);
            shown.remove("text");
            return shown;
        }).toList());
    }

    /** A prompt with its arguments in their places. */
    Map<String, Object> get(Map<String, @Nullable Object> params) {
        String name = Message.text(params, "name");
        Map<String, Object> prompt = prompts.stream()
                .filter(known -> name.equals(known.get("name")))
                .findFirst()
                .orElseThrow(() -> RpcException.invalidParams("There is no prompt of that name.", "List the prompts."));
        Map<String, @Nullable Object> given = Message.object("arguments", params.get("arguments"));
        String text = Objects.requireNonNull((String) prompt.get("text"));
        for (Map<String, Object> argument : ToolDefinition.maps(prompt.get("arguments"))) {
            String wanted = Objects.requireNonNull((String) argument.get("name"));
            text = text.replace("{" + wanted + "}", value(wanted, given.get(wanted), Boolean.TRUE.equals(argument.get("required"))));
        }
        return Map.of(
                "description", Objects.requireNonNull(prompt.get("description")),
                "messages", List.of(Map.of("role", "user", "content", Reply.text(text))));
    }

    private static String value(String name, @Nullable Object given, boolean required) {
        if (given == null && !required) {
            return OTHERWISE.getOrDefault(name, "");
        }
        if (given instanceof String text && !text.isBlank() && text.length() <= MOST_CHARACTERS) {
            return text;
        }
        throw RpcException.invalidParams("arguments." + name + ": it is missing, or no text of at most " + MOST_CHARACTERS + " characters.", "Give it as a text.");
    }
}
