package dev.sandglass.engine.network;

/** What the body of a request asks for, as far as rules tell bodies apart. */
public sealed interface Call {
    /** No tool: it has no body, or one that is no call of a tool. */
    record Plain() implements Call {}

    /** A tool of an MCP server; a body with several calls is as many attempts. */
    record Tool(String name) implements Call {}
}
