package dev.sandglass.server.mcp;

import java.io.IOException;

/** Does what a tool is called for. What goes wrong is thrown, and told to the model. */
@FunctionalInterface
interface Tool {
    Reply call(Arguments arguments, Job job) throws IOException, InterruptedException;
}
