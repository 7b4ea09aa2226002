package dev.sandglass.server.route;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpURI;

/** Reads what a request is addressed to. A host that is not ours leads nowhere: its name may be bound to this machine by a page that means no good. */
final class Hosts {
    private final String below;
    private final Set<String> byPath = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));

    Hosts(RouteSettings settings) {
        this.below = "." + settings.domain();
        byPath.add(settings.domain());
        settings.front().ifPresent(proxy -> byPath.add(proxy.host()));
        settings.hostNames().forEach(name -> byPath.add(name.toLowerCase(Locale.ROOT)));
    }

    Destination of(HttpURI uri) {
        String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        String path = uri.getPath();
        if (path == null || !path.startsWith("/")) {
            throw new SandglassException(ErrorCode.MALFORMED_REQUEST, "The request names no path.", "Send one that begins with a slash.");
        }
        if (host.endsWith(below)) {
            return Destination.ofHost(host.substring(0, host.length() - below.length()), path);
        }
        if (byPath.contains(host)) {
            return Destination.ofPath(path);
        }
        throw new SandglassException(
                ErrorCode.FORBIDDEN_HOST, "The Host header names another host.", "Use PORT-SANDBOX" + below + ", localhost, or a name from the settings.");
    }
}
