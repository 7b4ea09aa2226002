package dev.sandglass.server.http;

import java.io.IOException;

/** Serves one operation; it may block, and answers exactly once. */
@FunctionalInterface
public interface Handler {
    void handle(Exchange exchange) throws IOException, InterruptedException;
}
