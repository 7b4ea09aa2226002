package dev.sandglass.network.intercept;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;

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
        return isUsual() ? host : host + ":" + port;
    }

    private boolean isUsual() {
        return port == (isSecure ? HTTPS : HTTP);
    }

    /**
     * A request for it, with the path as it was written and what is added to it. Empty if another one would be sent than was judged: the client reads what it is given as a URI, and drops what it
     * takes for the name of a host.
     */
    Optional<Request> request(HttpClient client, String method, Additions additions, Way way) {
        String written = additions.target(path);
        Request request = client.newRequest(host, port).scheme(scheme()).port(isUsual() ? 0 : port).method(method).path(written).transport(way); // else HTTP/2 would name the usual port too, which clients do not
        String query = request.getQuery();
        String sent = query == null ? request.getPath() : request.getPath() + "?" + query;
        return sent.equals(written) ? Optional.of(request) : Optional.empty();
    }
}
