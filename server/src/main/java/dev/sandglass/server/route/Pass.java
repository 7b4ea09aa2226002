package dev.sandglass.server.route;

import dev.sandglass.engine.route.Route;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What a request was let in by, and where to.
 *
 * @param path that the sandbox is asked for, without the query
 * @param place the beginning of the path outside that is for us; empty by host name
 * @param secrets names of headers, in lower case, that were for us
 * @param link that came with the URL and is to be kept by the client, and until when
 * @param host that the program sees, if it is another than was called
 */
record Pass(Route route, String path, String place, Set<String> secrets, Optional<Link> link, Optional<String> host) {
    record Link(String text, Instant until) {}

    boolean isByPath() {
        return !place.isEmpty();
    }

    /** What stands outside before every path that the program knows; empty if nothing does, or if another beginning is put in the place of its own. */
    String prefix() {
        return place + route.rewrite().filter(inner -> inner.text().isEmpty()).map(_ -> route.prefix().text()).orElse("");
    }

    /** Whether addresses are other ones outside than the program says. */
    boolean moves() {
        return isByPath() || route.rewrite().isPresent();
    }

    /** What an address of the program is for the client; one of another host, one that is relative, and one to which the program has put the prefix already stay as they are. */
    String outside(String address) {
        if (!moves() || !address.startsWith("/") || address.startsWith("//") || hasPrefix(address)) {
            return address;
        }
        String whole = place + route.outside(address);
        return whole.startsWith("//") ? "/." + whole : whole; // two slashes would begin another host
    }

    private boolean hasPrefix(String address) {
        String told = prefix();
        return !told.isEmpty() && address.startsWith(told) && (address.length() == told.length() || "/?#".indexOf(address.charAt(told.length())) >= 0);
    }
}
