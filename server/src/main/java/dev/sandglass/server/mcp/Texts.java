package dev.sandglass.server.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The texts that are packed with the program: what models and people are told. */
final class Texts {
    private Texts() {}

    static List<ToolDefinition> tools() {
        return ToolDefinition.maps(read("tools.yaml").get("tools")).stream().map(ToolDefinition::of).toList();
    }

    /** Instructions and prompts. */
    static Map<String, Object> guide() {
        return read("guide.yaml");
    }

    private static Map<String, Object> read(String name) {
        try (InputStream yaml = Texts.class.getResourceAsStream(name)) {
            if (yaml == null) {
                throw new IllegalStateException("resource " + name + " is missing from the build");
            }
            return ToolDefinition.map(new Load(LoadSettings.builder().build()).loadFromInputStream(yaml));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
