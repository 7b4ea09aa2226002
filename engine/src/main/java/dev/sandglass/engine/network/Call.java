package dev.sandglass.engine.network;

import java.util.Optional;

/** What the body of a request asks for, as far as rules tell bodies apart; printed as rules have it. */
public sealed interface Call {
    /** That of a tool; empty if its name is none that a rule could have. */
    static Optional<Call> of(String tool) {
        return Rule.TOOL.matcher(tool).matches() ? Optional.of(new Tool(tool)) : Optional.empty();
    }

    /** No tool: it has no body, or one that is no call of a tool. */
    record Plain() implements Call {
        @Override
        public String toString() {
            return "no-tool";
        }
    }

    /** A tool of an MCP server; a body with several calls is as many attempts. */
    record Tool(String name) implements Call {
        @Override
        public String toString() {
            return "tool:" + name;
        }
    }
}
