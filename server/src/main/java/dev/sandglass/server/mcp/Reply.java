package dev.sandglass.server.mcp;

import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a tool answers.
 *
 * @param content for models
 * @param structured for programs, as the tool's output is described; null for an error
 */
record Reply(List<Map<String, ?>> content, @Nullable Map<String, ?> structured, @Nullable SandglassException problem) {
    /** The same for models and programs. */
    static Reply of(Map<String, ?> structured) {
        return of(new String(Json.treeBytes(structured), StandardCharsets.UTF_8), structured);
    }

    static Reply of(String text, Map<String, ?> structured) {
        return new Reply(List.of(text(text)), structured, null);
    }

    /** What went wrong, why, and what to do: the model reads it and tries again. */
    static Reply failed(SandglassException problem) {
        return new Reply(List.of(text(problem.code().text() + ": " + problem.what() + "\n" + problem.hint())), null, problem);
    }

    /** The same with one more block of content. */
    Reply with(Map<String, ?> block) {
        List<Map<String, ?>> more = new ArrayList<>(content);
        more.add(block);
        return new Reply(more, structured, problem);
    }

    static Map<String, ?> text(String text) {
        return Map.of("type", "text", "text", text);
    }

    Map<String, Object> toTree() {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("content", content);
        if (structured != null) {
            tree.put("structuredContent", structured);
        }
        if (problem != null) {
            tree.put("isError", true);
            tree.put("_meta", Map.of("dev.sandglass/problem", Map.of("code", problem.code().text(), "message", problem.what(), "hint", problem.hint())));
        }
        return tree;
    }
}
