package dev.sandglass.cli.mcp;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A program that uses MCP servers, and where it is told of them. */
public enum McpClient {
    CLAUDE("CLAUDE_CONFIG_DIR", "", ".claude.json", ".mcp.json", "mcpServers"),
    CODEX("CODEX_HOME", ".codex", "config.toml", ".codex/config.toml", "mcp_servers"),
    CURSOR("", ".cursor", "mcp.json", ".cursor/mcp.json", "mcpServers");

    private final String variable;
    private final String directory;
    private final String file;
    private final String projectFile;
    private final String table;

    /**
     * @param variable names another directory than the one in the home of the user
     * @param projectFile for the project in whose directory it is
     * @param table what its file calls the servers
     */
    McpClient(String variable, String directory, String file, String projectFile, String table) {
        this.variable = variable;
        this.directory = directory;
        this.file = file;
        this.projectFile = projectFile;
        this.table = table;
    }

    public static Optional<McpClient> of(String word) {
        for (McpClient client : values()) {
            if (client.word().equals(word)) {
                return Optional.of(client);
            }
        }
        return Optional.empty();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The file that holds for all that this user does. */
    public Path userFile(Map<String, String> environment) {
        String elsewhere = environment.getOrDefault(variable, "");
        Path home = Path.of(environment.getOrDefault("HOME", "/root"));
        return (elsewhere.isEmpty() ? home.resolve(directory) : Path.of(elsewhere)).resolve(file);
    }

    /** The file that holds in a directory. */
    public Path projectFile(Path project) {
        return project.resolve(projectFile);
    }

    boolean isToml() {
        return file.endsWith(".toml");
    }

    String table() {
        return table;
    }
}
