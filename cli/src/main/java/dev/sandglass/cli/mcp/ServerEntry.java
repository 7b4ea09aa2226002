package dev.sandglass.cli.mcp;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.Json;
import dev.sandglass.wire.SandglassException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.MutableTomlArray;
import org.tomlj.MutableTomlTable;
import org.tomlj.Toml;
import org.tomlj.TomlInvalidTypeException;
import org.tomlj.TomlParseResult;

/**
 * A server that a client is to start, as its configuration has it.
 *
 * @param name what the client calls it
 */
public record ServerEntry(String name, String command, List<String> arguments) {
    /** The text of a client's configuration with this in it, and else as it was. What is there of the server besides stays. */
    String into(McpClient client, String text) {
        try {
            return client.isToml() ? intoToml(client, text) : intoJson(client, text);
        } catch (IllegalArgumentException | TomlInvalidTypeException notATable) {
            throw refused("It has something else where the servers should be: " + notATable.getMessage(), notATable);
        }
    }

    /** The same alone, for somebody who writes it by hand. */
    public String alone(McpClient client) {
        return into(client, client.isToml() ? "" : "{}\n");
    }

    private String intoToml(McpClient client, String text) {
        TomlParseResult table = Toml.parse(text);
        if (table.hasErrors()) {
            throw refused("It is no TOML: " + table.errors().getFirst(), null);
        }
        MutableTomlArray words = MutableTomlArray.createInline();
        arguments.forEach(words::add);
        MutableTomlTable whole = table;
        if (command.equals(whole.get(List.of(client.table(), name, "command"))) && words.toList().equals(listOf(whole, client))) {
            return text;
        }
        whole.set(List.of(client.table(), name, "command"), command);
        whole.set(List.of(client.table(), name, "args"), words);
        String written = whole.toToml();
        if (Toml.parse(written).hasErrors()) {
            throw refused("What would be written is no TOML.", null);
        }
        return written;
    }

    private List<Object> listOf(MutableTomlTable whole, McpClient client) {
        List<String> path = List.of(client.table(), name, "args");
        return whole.isArray(path) ? whole.getArrayOrEmpty(path).toList() : List.of();
    }

    private String intoJson(McpClient client, String text) {
        String whole = text.isBlank() ? "{}\n" : text;
        try {
            Json.tree(whole.getBytes(StandardCharsets.UTF_8));
        } catch (SandglassException problem) {
            throw refused(problem.what(), problem);
        }
        List<String> path = List.of(client.table(), name);
        if (client == McpClient.CLAUDE) {
            whole = JsonSplice.put(whole, with(path, "type"), "\"stdio\"");
        }
        whole = JsonSplice.put(whole, with(path, "command"), Json.write(command));
        whole = JsonSplice.put(whole, with(path, "args"), "[" + String.join(", ", arguments.stream().map(Json::write).toList()) + "]");
        Json.tree(whole.getBytes(StandardCharsets.UTF_8));
        return whole;
    }

    private static List<String> with(List<String> path, String name) {
        return List.of(path.getFirst(), path.getLast(), name);
    }

    private static SandglassException refused(String why, @Nullable Exception cause) {
        return new SandglassException(ErrorCode.CONFLICT, why, "Nothing was changed. Mend the file; or write by hand what `--print` prints.", cause);
    }
}
