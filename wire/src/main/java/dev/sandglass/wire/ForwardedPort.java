package dev.sandglass.wire;

import io.avaje.jsonb.Json;

/**
 * A port of this machine whose connections go to a port of a sandbox.
 *
 * @param address on which it listens
 * @param local its number here
 * @param port its number inside
 */
@Json(naming = Json.Naming.LowerUnderscore)
public record ForwardedPort(String address, int local, int port) {}
