package dev.sandglass.cli;

import dev.sandglass.cli.mcp.ClientFile;
import dev.sandglass.cli.mcp.McpClient;
import dev.sandglass.cli.mcp.ServerEntry;
import dev.sandglass.cli.terminal.Inert;
import dev.sandglass.wire.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** {@code mcp install}: writes the configuration of an MCP client. */
final class McpInstallVerb extends Verb {
    private static final String KEY = "SANDGLASS_API_KEY";

    private final Syntax.Value client = syntax.operand(0, "CLIENT", "claude, codex or cursor.");
    private final Syntax.Value name = syntax.value("NAME", "What the client calls it; sandglass if absent.", "--name");
    private final Syntax.Flag project = syntax.flag("For the project in this directory only.", "--project");
    private final Syntax.Flag print = syntax.flag("Print what belongs into the file, and write nothing.", "--print");

    McpInstallVerb() {
        super(new Syntax(
                "mcp install",
                "Tell an MCP client to start `sandglass mcp`, in its configuration: ~/.claude.json, ~/.codex/config.toml",
                "or ~/.cursor/mcp.json, with --project .mcp.json, .codex/config.toml or .cursor/mcp.json here. All else in",
                "the file stays as it is, and a file that is broken is left alone. The token is not written into it: the",
                "client's user must be able to read the daemon's token file, or to name one with --token-file.",
                ""));
    }

    @Override
    int run(Console console) {
        McpClient chosen = McpClient.of(client.orEmpty())
                .orElseThrow(() -> new UsageException("client: " + client.orEmpty() + " (expected: claude, codex or cursor)"));
        List<String> arguments = new ArrayList<>(List.of("mcp"));
        arguments.addAll(sameDaemon(console));
        ServerEntry entry = new ServerEntry(Objects.requireNonNullElse(name.orNull(), "sandglass"), System.getProperty("sandglass.launcher", "sandglass"), arguments);
        Path file = project.isSet() ? chosen.projectFile(Path.of("").toAbsolutePath()) : chosen.userFile(console.environment());
        if (print.isSet()) {
            console.warn("This belongs into " + Inert.text(file.toString()) + ":\n");
            console.print(entry.alone(chosen));
            return OK;
        }
        boolean changed = new ClientFile(chosen, file).add(entry);
        if (format(console).structured()) {
            byte[] told = Json.treeBytes(Map.of("client", chosen.word(), "file", file.toString(), "changed", changed));
            console.print(Document.text(new String(told, StandardCharsets.UTF_8), format(console), console));
        } else {
            console.print(chosen.word() + "   " + Inert.text(file.toString()) + "   " + (changed ? "written" : "unchanged") + "\n");
        }
        if (!console.environment().getOrDefault(KEY, "").isEmpty()) {
            console.warn("note: " + KEY + " is set here and was not written: set it for the client too, or name a file with --token-file.\n");
        }
        return OK;
    }
}
