package dev.sandglass.cli;

import dev.sandglass.client.daemon.Client;
import dev.sandglass.cli.mcp.Relay;

/** {@code mcp}: the Model Context Protocol on standard input and output. */
final class McpVerb extends Verb {
    McpVerb() {
        super(new Syntax(
                "mcp",
                "Serve the Model Context Protocol on standard input and output, for an MCP client that starts this:",
                "tools to make, use, freeze, copy and turn back sandboxes. `sandglass mcp install` tells a client of it,",
                "`sandglass mcp wrap` runs another MCP server in a sandbox. It ends with its input.",
                "").printing("json or yaml: so errors are told; the protocol is JSON."));
        syntax.synopsis("[OPTIONS]");
    }

    @Override
    boolean outputIsData() {
        return true;
    }

    @Override
    int run(Console console) {
        if (console.terminal(Console.IN)) {
            console.warn("This is for MCP clients to start: it waits for JSON on standard input. `sandglass mcp install` sets one up.\n");
        }
        try (Client client = client(console)) {
            new Relay(client, console.in(), console.out()).run();
            return OK;
        }
    }
}
