package dev.sandglass.server.mcp;

import java.io.IOException;

/** Where messages about a request go; blocks until there is room for one more. */
@FunctionalInterface
interface Outlet {
    void send(byte[] message) throws IOException, InterruptedException;
}
