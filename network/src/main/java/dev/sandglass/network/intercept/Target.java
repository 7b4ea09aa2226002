package dev.sandglass.network.intercept;

import java.net.InetSocketAddress;

/**
 * Where a request is sent.
 *
 * @param host as requests name it, and what its certificate has to be for
 * @param path and query, before anything is added
 */
record Target(boolean isSecure, String host, int port, InetSocketAddress place, String path) {
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    String scheme() {
        return isSecure ? "https" : "http";
    }

    /** As it stands in a Host header. */
    String authority() {
        return port == (isSecure ? HTTPS : HTTP) ? host : host + ":" + port;
    }
}
