package dev.sandglass.server.http;

import dev.sandglass.wire.ErrorCode;
import dev.sandglass.wire.SandglassException;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;

/** Lets in only requests that are addressed to this daemon, come from no foreign page, and carry the token or a key. Thread-safe. */
final class Gatekeeper {
    private final HostNames hosts;
    private final Bearers bearers;

    Gatekeeper(HostNames hosts, Bearers bearers) {
        this.hosts = hosts;
        this.bearers = bearers;
    }

    /** Who calls; refuses what must not come in, and looks at the head only. */
    Bearer check(Request request, boolean overUnixSocket) {
        HttpFields headers = request.getHeaders();
        checkHost(request.getHttpURI(), headers.getValuesList(HttpHeader.HOST), overUnixSocket);
        for (String origin : headers.getValuesList(HttpHeader.ORIGIN)) {
            if (!hosts.isOurOrigin(origin)) {
                throw new SandglassException(
                        ErrorCode.FORBIDDEN_ORIGIN,
                        "A page of another origin called.",
                        "Only pages of this daemon may call it; add the host's name to the settings if it is one.");
            }
        }
        return bearer(headers.getValuesList(HttpHeader.AUTHORIZATION));
    }

    private void checkHost(HttpURI uri, List<String> values, boolean overUnixSocket) {
        boolean ours = values.isEmpty() ? overUnixSocket : values.size() == 1 && hosts.isOurs(values.getFirst());
        // Of an absolute request target; else Jetty's own "localhost" or the Host header again.
        String target = uri.getAuthority();
        if (!ours || target == null || !hosts.isOurs(target)) {
            throw new SandglassException(
                    ErrorCode.FORBIDDEN_HOST,
                    "The Host header names another host.",
                    "Use localhost, 127.0.0.1, [::1] or a name from the settings.");
        }
    }

    private Bearer bearer(List<String> values) {
        Optional<Bearer> bearer = values.size() == 1 ? bearers.ofHeader(values.getFirst()) : Optional.empty();
        return bearer.orElseThrow(Gatekeeper::unknown);
    }

    static SandglassException unknown() {
        return new SandglassException(
                ErrorCode.UNAUTHORIZED,
                "The bearer token is missing or wrong.",
                "Send the header \"Authorization: Bearer <token>\" with the token of the daemon's token file, or with a key that `sandglass key create` made.");
    }
}
