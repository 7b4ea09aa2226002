package dev.sandglass.engine.network;

import java.nio.file.Path;

/**
 * The namespaces that a sandbox with a network joins, named by files.
 *
 * @param user owns the network; a sandbox on the host's kernel lives in it
 * @param network has a link to a gateway, with addresses and routes in place
 */
public record Namespaces(Path user, Path network) {}
