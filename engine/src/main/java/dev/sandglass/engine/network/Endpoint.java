package dev.sandglass.engine.network;

/** A port of a host. */
public record Endpoint(HostName host, int port) {
    public Endpoint {
        if (port < 1 || port > PortRange.LARGEST) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to " + PortRange.LARGEST + ")");
        }
    }
}
